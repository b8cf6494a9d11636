# orrery as one static file in an image without anything else.
#
#   docker build --build-arg VERSION=v1.2.3 -t orrery:v1.2.3 .
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X orrery/cmd/app.release=$VERSION" -o /orrery ./cmd/orrery

FROM gcr.io/distroless/static:nonroot
COPY --from=build /orrery /orrery
USER 65532:65532
EXPOSE 10259
ENTRYPOINT ["/orrery"]

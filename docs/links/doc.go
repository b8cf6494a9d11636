// Package links holds no code: its tests read every Markdown file of the repository.
//
//   - A link leads to a file or folder of the repository, and to a heading of it if it names one.
//   - "make NAME" names a target of the Makefile, wherever a page has it as code.
//   - Each page of docs can be found from docs/index.md.
//
// That the commands of orrery in them exist, and do what is printed, are tests of cmd/app.
package links

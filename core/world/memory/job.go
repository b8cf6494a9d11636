package memory

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// jobBackoff is a job's back-off after the first failure of a pod; it doubles with every further one, up to
// jobBackoffMost.
const (
	jobBackoff     = 10 * time.Second
	jobBackoffMost = 10 * time.Minute
	jobRetries     = 6
)

// syncJob runs pods until enough have succeeded, or too many failed.
func (c *Cluster) syncJob(job *batchv1.Job) error {
	if isFinished(job) {
		return nil
	}
	f := c.dependentsOf(job.UID)
	next := *job
	next.Status.Succeeded, next.Status.Failed = int32(f.everSucceeded), int32(f.everFailed)
	retries := jobRetries
	if job.Spec.BackoffLimit != nil {
		retries = int(*job.Spec.BackoffLimit)
	}
	completions := orOne(job.Spec.Completions)
	var err error
	switch {
	case f.everFailed > retries:
		c.deleteSurplus(f.active, job.UID)
		next.Status.Conditions = c.jobCondition(job, batchv1.JobFailed, "BackoffLimitExceeded")
	case f.everSucceeded >= completions:
		c.deleteSurplus(f.active, job.UID)
		next.Status.Conditions = c.jobCondition(job, batchv1.JobComplete, "CompletionsReached")
		at := c.timestamp()
		next.Status.CompletionTime = &at
	default:
		if f.everFailed > int(job.Status.Failed) {
			f.notBefore = c.now.Add(min(jobBackoffMost, jobBackoff<<min(max(f.everFailed-1, 0), 10)))
		}
		if c.now.Before(f.notBefore) {
			c.enqueue(workItem{kind: world.Job, key: keyOf(job), uid: job.UID}, f.notBefore.Sub(c.now))
			break
		}
		missing := min(orOne(job.Spec.Parallelism), completions-f.everSucceeded) - f.active
		err = c.createPods(missing, job, batchv1.SchemeGroupVersion.WithKind("Job"), jobTemplate(job))
	}
	if next.Status.StartTime == nil {
		at := c.timestamp()
		next.Status.StartTime = &at
	}
	ready := int32(f.ready)
	next.Status.Active, next.Status.Ready = int32(f.active), &ready
	if job.Status.Active != next.Status.Active || job.Status.Succeeded != next.Status.Succeeded ||
		job.Status.Failed != next.Status.Failed || len(job.Status.Conditions) != len(next.Status.Conditions) {
		c.write(world.Job, job, &next)
	}
	return err
}

func isFinished(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(had batchv1.JobCondition) bool {
		return had.Type == batchv1.JobComplete || had.Type == batchv1.JobFailed
	})
}

func (c *Cluster) jobCondition(job *batchv1.Job, kind batchv1.JobConditionType, reason string) []batchv1.JobCondition {
	return append(slices.Clone(job.Status.Conditions), batchv1.JobCondition{
		Type: kind, Status: v1.ConditionTrue, Reason: reason, LastTransitionTime: c.timestamp(),
	})
}

// jobTemplate returns the template of a job's pods, with the job's labels.
func jobTemplate(job *batchv1.Job) *v1.PodTemplateSpec {
	t := job.Spec.Template
	t.Labels = withEntry(t.Labels, batchv1.JobNameLabel, job.Name)
	t.Labels[batchv1.ControllerUidLabel] = string(job.UID)
	if t.Spec.RestartPolicy == "" {
		t.Spec.RestartPolicy = v1.RestartPolicyNever
	}
	return &t
}

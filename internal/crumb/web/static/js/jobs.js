/**
 * Says where a job is that has not ended.
 * @param {any} job
 * @param {string} working said while it runs for the first time
 */
export function standing(job, working) {
  if (job.cancel_requested) return "Cancelling";
  if (job.state === "scheduled") return "Waiting for the next attempt";
  if (job.attempts > 1) return `Attempt ${job.attempts} of ${job.max_attempts}`;
  return job.state === "queued" ? "In line" : working;
}

/** A step whose commands failed, and the lines that they printed. */
export interface FailedStep {
  readonly title: string
  readonly lines: readonly string[]
}

export interface FinishedJob {
  readonly name: string
  readonly failedSteps: readonly FailedStep[]
  readonly seconds: number
}

/** The summary of a test run, which names each failed test and its reason, rarely has more lines. */
const LAST_LINES = 60

/** Renders the last lines of each failed step, because a log viewer may show only the end of the whole output. */
export function renderFailedSteps(steps: readonly FailedStep[]): string {
  return steps.map(({ title, lines }) => `\nLast lines of ${title}\n${lines.slice(-LAST_LINES).join('\n')}\n`).join('')
}

/** Renders a table of jobs with their durations. The last line contains the totals. */
export function renderJobs(jobs: readonly FinishedJob[]): string {
  const width = Math.max(...jobs.map(({ name }) => name.length))
  const lines = jobs.map(
    ({ name, failedSteps, seconds }) =>
      `  ${name.padEnd(width)}  ${failedSteps.length === 0 ? 'passed' : 'FAILED'}  ${seconds.toFixed(0).padStart(5)} s`,
  )
  const failed = jobs.filter(({ failedSteps }) => failedSteps.length > 0).length
  return `\nJobs\n${lines.join('\n')}\n\njobs: ${jobs.length - failed} passed, ${failed} failed\n`
}

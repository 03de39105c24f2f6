/** A job of the workflow that has ended. */
export interface FinishedJob {
  readonly name: string
  readonly hasPassed: boolean
  readonly seconds: number
}

/** Renders a table of the jobs with their times, and a closing line that counts them. */
export function renderJobs(jobs: readonly FinishedJob[]): string {
  const width = Math.max(...jobs.map(({ name }) => name.length))
  const lines = jobs.map(
    ({ name, hasPassed, seconds }) =>
      `  ${name.padEnd(width)}  ${hasPassed ? 'passed' : 'FAILED'}  ${seconds.toFixed(0).padStart(5)} s`,
  )
  const passed = jobs.filter(({ hasPassed }) => hasPassed).length
  return `\nJobs\n${lines.join('\n')}\n\njobs: ${passed} passed, ${jobs.length - passed} failed\n`
}

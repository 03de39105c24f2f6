export interface FinishedJob {
  readonly name: string
  readonly hasPassed: boolean
  readonly seconds: number
}

/** Renders a table of jobs with their durations. The last line contains the totals. */
export function renderJobs(jobs: readonly FinishedJob[]): string {
  const width = Math.max(...jobs.map(({ name }) => name.length))
  const lines = jobs.map(
    ({ name, hasPassed, seconds }) =>
      `  ${name.padEnd(width)}  ${hasPassed ? 'passed' : 'FAILED'}  ${seconds.toFixed(0).padStart(5)} s`,
  )
  const passed = jobs.filter(({ hasPassed }) => hasPassed).length
  return `\nJobs\n${lines.join('\n')}\n\njobs: ${passed} passed, ${jobs.length - passed} failed\n`
}

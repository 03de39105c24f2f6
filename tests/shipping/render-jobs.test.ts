import { expect, test } from 'vitest'
import { renderJobs } from './render-jobs.ts'

test('shows the time of each job, and counts failed jobs in the last line', () => {
  const text = renderJobs([
    { name: 'check', hasPassed: true, seconds: 12.4 },
    { name: 'containers', hasPassed: false, seconds: 301.6 },
  ])
  expect(text.split('\n')).toEqual([
    '',
    'Jobs',
    '  check       passed     12 s',
    '  containers  FAILED    302 s',
    '',
    'jobs: 1 passed, 1 failed',
    '',
  ])
})

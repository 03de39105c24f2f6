import { expect, test } from 'vitest'
import { renderFailedSteps, renderJobs } from './render-jobs.ts'

test('shows the time of each job, and counts failed jobs in the last line', () => {
  const text = renderJobs([
    { name: 'check', failedSteps: [], seconds: 12.4 },
    { name: 'containers', failedSteps: [{ title: 'containers: build', lines: [] }], seconds: 301.6 },
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

test('shows the last lines of each failed step', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
  const text = renderFailedSteps([
    { title: 'test: unit', lines },
    { title: 'docs: all', lines: ['one'] },
  ])
  expect(text).not.toContain('line 39\n')
  expect(text).toMatch(/\nLast lines of test: unit\nline 40\n[^]*line 99\n\nLast lines of docs: all\none\n$/)
  expect(renderFailedSteps([])).toBe('')
})

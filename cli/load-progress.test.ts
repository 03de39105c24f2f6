import { expect, test } from 'vitest'
import { createStatusLine } from '../reports/status-line.ts'
import { createPhaseDisplay } from './load-progress.ts'

function linesOf(isTTY: boolean): string[] {
  const written: string[] = []
  const show = createPhaseDisplay(createStatusLine({ isTTY, write: (text) => written.push(text) }))
  // The values simulate a late timer that skips a second.
  for (const elapsedS of [0, 1, 9, 11, 12, 19, 20, 21]) show({ name: 'building', elapsedS })
  show({ name: 'calibrating', progress: 'fast' })
  show({ name: 'running' })
  return written
}

test('without a terminal, reports every ten seconds that the k6 build continues', () => {
  expect(linesOf(false)).toEqual([
    expect.stringMatching(/^building k6 /),
    'still building k6, 10 s\n',
    'still building k6, 20 s\n',
    expect.stringMatching(/^measuring /),
    'running\n',
  ])
})

test('on a terminal, shows only the elapsed seconds of the k6 build', () => {
  const written = linesOf(true)
  expect(written[3]).toMatch(/building k6 .* · 11 s$/)
  expect(written[8]).toMatch(/ · fast$/)
  expect(written.join('')).not.toContain('still')
  expect(written.join('')).not.toContain('\n')
})

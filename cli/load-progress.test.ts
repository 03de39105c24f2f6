import { expect, test } from 'vitest'
import { type LoadPlan, prepareLoad, type ProgressResult } from '../load/run-load.ts'
import { createStatusLine } from '../reports/status-line.ts'
import { createLoadDisplay } from './load-progress.ts'

const PLAN = await prepareLoad({
  target: 'http://127.0.0.1:9',
  key: 'sk-svc-any',
  rate: 20,
  durationS: 60,
  budgets: ['ttft.p99<=100ms', 'failed.rate<=1%', 'dropped.count<=0'],
})

const progressAt = (atS: number): ProgressResult => ({
  atS,
  sent: 20 * atS,
  ok: 19 * atS,
  failed: atS,
  inFlight: 3,
  ratePerS: 20,
  ttftP50Ms: 81.4,
  ttftP99Ms: 283.2,
  tokens: {},
  counts: { 'chat-stream': { sent: 20 * atS, ok: 19 * atS, failed: atS, aborted: 0, good: 0 } },
  budgets: [{ n: 19 * atS, above: atS, sumMs: 0 }],
})

function open(isTTY: boolean, plan: LoadPlan = PLAN, columns?: number) {
  const written: string[] = []
  const write = (text: string) => written.push(text)
  const status = createStatusLine({ isTTY, write, ...(columns === undefined ? {} : { columns }) })
  return { written, status, ...createLoadDisplay(status, plan) }
}

const buildAt = (elapsedS: number) => ({ elapsedS, downloadedModules: elapsedS, compiledPackages: 2 * elapsedS })

/** Reports the phases of a run whose k6 build takes 21 s, without an event for every second. */
function showBuild({ onPhase }: ReturnType<typeof open>): void {
  for (const elapsedS of [0, 1, 9, 11, 12, 19, 20, 21]) onPhase({ name: 'building', build: buildAt(elapsedS) })
  onPhase({ name: 'calibrating', progress: 'fast' })
  onPhase({ name: 'running' })
}

test('without a terminal, reports every ten seconds that the k6 build continues', () => {
  const display = open(false)
  showBuild(display)
  expect(display.written).toEqual([
    expect.stringMatching(/^This machine has no k6 .* three minutes on two cores, downloads 100 MB/),
    'building k6\n',
    'still building k6: 11 s · 11 modules downloaded · 22 packages compiled\n',
    'still building k6: 20 s · 20 modules downloaded · 40 packages compiled\n',
    expect.stringMatching(/^measuring /),
    'running\n',
  ])
})

test('without a terminal, writes a line of progress every ten seconds, counted from the start of the load', () => {
  const display = open(false)
  display.onPhase({ name: 'building', build: buildAt(40) })
  display.onPhase({ name: 'running' })
  for (const atS of [1, 9, 10, 11, 21]) display.onProgress(progressAt(atS))
  const figures = '20/s · 3 in flight'
  const ttft = 'ttft p50 81 ms · p99 283 ms'
  expect(display.written.slice(3)).toEqual([
    'running\n',
    `10 s · 50 s left · 200 sent · ${figures} · 10 failed · 0 credits · ${ttft}\n`,
    `21 s · 39 s left · 420 sent · ${figures} · 21 failed · 0 credits · ${ttft}\n`,
  ])
})

test('on a terminal, redraws the figures and the budgets so far in place', () => {
  const display = open(true)
  display.onProgress(progressAt(2))
  display.onProgress(progressAt(40))
  display.status.clear()
  const draw = [
    'running · 40 s · 20 s left',
    '  800 sent · 20/s · 3 in flight · 40 failed · 0 credits',
    '  ttft p50 81 ms · p99 283 ms',
    '  broken  ttft.p99<=100ms · 5.3 % above',
    '  broken  failed.rate<=1%',
    '  open    dropped.count<=0',
  ].join('\n')
  expect(display.written[1]).toContain('ttft.p99<=100ms · 5.3 % above · 624 samples missing')
  expect(display.written.slice(2)).toEqual(['\u001b[5A\r\u001b[J', draw, '\u001b[5A\r\u001b[J'])
})

test('cuts lines at the width of the terminal, because a wrapped line takes two rows', () => {
  const display = open(true, PLAN, 20)
  display.onProgress(progressAt(40))
  const lengths = display.written[1]?.split('\n').map((line) => line.length) ?? []
  expect(lengths).toHaveLength(6)
  expect(Math.max(...lengths)).toBe(19)
})

test('shows that the target warms up until the first request of the measurement', () => {
  const display = open(true, { ...PLAN, settings: { ...PLAN.settings, warmUpS: 5 } })
  display.onProgress(progressAt(0))
  expect(display.written.join('')).toContain('warming up')
  display.onProgress(progressAt(1))
  expect(display.written.at(-1)).toContain('1 s · 59 s left')
})

import { describe, expect, test } from 'vitest'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { createLatencyProfile, createFixedDelay } from '../../emulator/state/latency.ts'
import { startDelayingProxy } from './start-delaying-proxy.ts'
import { startHaproxy } from './start-haproxy.ts'
import { startNginx } from './start-nginx.ts'
import { isInstalled, type ReverseProxy } from './start-program.ts'

const CHECK = '4.2/stream-progress'
/** Latency with a time between tokens that is long enough to distinguish their arrival while other tests run. */
const LATENCY = createLatencyProfile(createFixedDelay(200), createFixedDelay(20), createFixedDelay(0))
/** Delay of a distant network in each direction, in milliseconds. */
const DISTANT_MS = 30

/** Maximum number of attempts. On a busy machine, a run reads several events at once and is then not testable. */
const MAX_RUNS = 4

/**
 * Runs the check through a proxy until it is testable, at most MAX_RUNS times. `delayMs` is the network delay in each
 * direction.
 */
async function evaluate(start: (upstreamUrl: string) => Promise<ReverseProxy>, delayMs: number) {
  let evaluated = await evaluateOnce(start, delayMs)
  for (let run = 1; run < MAX_RUNS && evaluated.verdict === 'not-testable'; run += 1)
    evaluated = await evaluateOnce(start, delayMs)
  return evaluated
}

async function evaluateOnce(start: (upstreamUrl: string) => Promise<ReverseProxy>, delayMs: number) {
  await using emulator = await startEmulator({ latency: LATENCY, answerTokens: 'fill' })
  await using proxy = await start(emulator.url)
  await using distant = delayMs === 0 ? undefined : await startDelayingProxy(proxy.url, delayMs)
  const { document } = await runConformance({
    url: distant?.url ?? proxy.url,
    keys: { funded: emulator.keys.funded },
    only: [CHECK],
  })
  const { verdict, code } = document.checks.find(({ id }) => id === CHECK) ?? {}
  return { verdict, code }
}

const IN_BURSTS = { verdict: 'warn', code: 'stream-in-bursts' }
const STEADY = { verdict: 'pass', code: 'as-expected' }
const LARGE_BUFFERS = ['proxy_buffer_size 32k;', 'proxy_buffers 8 32k;', 'proxy_busy_buffers_size 64k;']

test('nginx and haproxy are installed', (context) => {
  const missing = ['nginx', 'haproxy'].filter((command) => !isInstalled(command))
  if (missing.length > 0) context.skip(`not installed: run \`apt-get install ${missing.join(' ')}\``)
  expect(missing).toEqual([])
})

describe.runIf(isInstalled('nginx')).concurrent.each([0, DISTANT_MS])('behind nginx, %i ms away', (delayMs) => {
  test('streams arrive in bursts behind nginx by default', async () => {
    expect(await evaluate((url) => startNginx(url), delayMs)).toEqual(IN_BURSTS)
  })

  test('streams arrive in bursts behind nginx with buffers that hold an entire stream of the usual length', async () => {
    expect(await evaluate((url) => startNginx(url, LARGE_BUFFERS), delayMs)).toEqual(IN_BURSTS)
  })

  test('streams arrive steadily behind nginx without buffering', async () => {
    expect(await evaluate((url) => startNginx(url, ['proxy_buffering off;']), delayMs)).toEqual(STEADY)
  })
})

describe.runIf(isInstalled('haproxy')).concurrent.each([0, DISTANT_MS])('behind haproxy, %i ms away', (delayMs) => {
  test('streams arrive in bursts behind haproxy by default', async () => {
    expect(await evaluate((url) => startHaproxy(url), delayMs)).toEqual(IN_BURSTS)
  })

  test('streams arrive steadily behind haproxy with http-no-delay', async () => {
    expect(await evaluate((url) => startHaproxy(url, ['option http-no-delay']), delayMs)).toEqual(STEADY)
  })
})

import { expect, test } from 'vitest'
import { createEmulator, type InProcessEmulator } from '../create-emulator.ts'
import { createVirtualClock, type VirtualClock } from '../state/clock.ts'
import { createFixedDelay, createLatencyProfile } from '../state/latency.ts'
import { listWaits, settle, setUpQueue, startRequests } from './support/queue.ts'

const SLOTS = 4
const REQUESTS = 500
const TTFT_MS = 130
const ITL_MS = 7

/** One request: its arrival time, its number of completion tokens, and whether it is streamed. */
interface Job {
  readonly arrivesAtMs: number
  readonly tokens: number
  readonly stream: boolean
}

const LATENCY = createLatencyProfile(createFixedDelay(TTFT_MS), createFixedDelay(ITL_MS), createFixedDelay(0))

/** Returns the waiting time of each job in a queue with several servers: the first job gets the server that is free first. */
function computeWaits(jobs: readonly Job[]): number[] {
  const freeAtMs = Array.from({ length: SLOTS }, () => 0)
  return jobs.map(({ arrivesAtMs, tokens }) => {
    const first = freeAtMs.indexOf(Math.min(...freeAtMs))
    const startsAtMs = Math.max(arrivesAtMs, freeAtMs[first] ?? 0)
    freeAtMs[first] = startsAtMs + TTFT_MS + (tokens - 1) * ITL_MS
    return startsAtMs - arrivesAtMs
  })
}

function send({ clientOptions, keys }: InProcessEmulator, { tokens, stream }: Job, index: number): Promise<string> {
  const { baseURL, fetch } = clientOptions()
  const request = fetch?.(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.funded}`, 'x-client-request-id': String(index) },
    body: JSON.stringify({
      model: 'o3-mini',
      max_tokens: tokens,
      stream,
      messages: [{ role: 'user', content: 'Go.' }],
    }),
  })
  return Promise.resolve(request).then((response) => response?.text() ?? '')
}

/**
 * Sends each job at its arrival time.
 * @param stepMs step by which the clock advances; Infinity for a single advance after all arrivals
 * @returns the log entries in the order of arrival
 */
async function run(jobs: readonly Job[], stepMs: number) {
  const clock: VirtualClock = createVirtualClock()
  const emulator = createEmulator({ clock, slots: SLOTS, latency: LATENCY, answerTokens: 'fill' })
  const responses: Promise<string>[] = []
  for (const [index, job] of jobs.entries()) {
    while (clock.nowMs() < job.arrivesAtMs) {
      clock.advance(Math.min(stepMs, job.arrivesAtMs - clock.nowMs()))
      if (stepMs !== Infinity) await settle()
    }
    responses.push(send(emulator, job, index))
    if (jobs[index + 1]?.arrivesAtMs !== job.arrivesAtMs) await settle()
  }
  if (stepMs === Infinity) clock.advance(3_600_000)
  while (emulator.activeRequests() > 0) {
    if (stepMs !== Infinity) clock.advance(stepMs)
    await settle()
  }
  const texts = await Promise.all(responses)
  const entries = emulator.requests().toSorted((a, b) => Number(a.clientRequestId) - Number(b.clientRequestId))
  await emulator.close()
  return { texts, entries }
}

function createJobs(
  kind: 'plain' | 'stream' | 'mixed',
  interarrivalMs: (index: number) => number,
  tokens: (index: number) => number,
) {
  let arrivesAtMs = 0
  return Array.from({ length: REQUESTS }, (_, index): Job => {
    arrivesAtMs += interarrivalMs(index)
    return { arrivesAtMs, tokens: tokens(index), stream: kind === 'mixed' ? index % 3 === 0 : kind === 'stream' }
  })
}

/** Varying lengths whose streams fit into the send buffer of a connection. */
const varying = (index: number) => 1 + ((index * 37) % 60)

test.each([
  ['plain', 'in one advance', Infinity],
  ['stream', 'in one advance', Infinity],
  ['mixed', 'in one advance', Infinity],
  ['plain', 'in steps of 50 ms', 50],
  ['stream', 'in steps of 50 ms', 50],
  ['mixed', 'in steps of 17 ms', 17],
] as const)(
  'serves 500 %s requests that arrive together as a queue with four servers does, %s',
  async (kind, _, stepMs) => {
    const jobs = createJobs(kind, () => 0, varying)
    const { entries } = await run(jobs, stepMs)
    const waits = computeWaits(jobs)
    expect(entries.map(({ queuedMs }) => queuedMs)).toEqual(waits)
    expect(entries.map(({ ttftMs, stream }) => (stream ? ttftMs : TTFT_MS))).toEqual(
      jobs.map(({ stream }, index) => (stream ? (waits[index] ?? 0) + TTFT_MS : TTFT_MS)),
    )
    expect(entries.map(({ totalMs }) => totalMs)).toEqual(
      jobs.map(({ tokens }, index) => (waits[index] ?? 0) + TTFT_MS + (tokens - 1) * ITL_MS),
    )
  },
)

test('gives back the slots of streams on time if no client reads them during an advance', async () => {
  const jobs = createJobs(
    'stream',
    () => 0,
    (index) => 200 + index,
  ).slice(0, 60)
  const { entries, texts } = await run(jobs, Infinity)
  expect(entries.map(({ queuedMs }) => queuedMs)).toEqual(computeWaits(jobs))
  expect(texts.filter((text) => !text.endsWith('[DONE]\n\n'))).toEqual([])
})

test.each([
  ['one advance between arrivals', Infinity],
  ['steps of 13 ms', 13],
])('serves 500 requests that arrive one after another as a queue with four servers does, in %s', async (_, stepMs) => {
  const jobs = createJobs('mixed', (index) => (index * 53) % 190, varying)
  const { entries } = await run(jobs, stepMs)
  const waits = computeWaits(jobs)
  expect(waits.filter((ms) => ms > 0).length).toBeGreaterThan(100)
  expect(waits.filter((ms) => ms === 0).length).toBeGreaterThan(10)
  expect(entries.map(({ queuedMs }) => queuedMs)).toEqual(waits)
})

test('gives back the slot of a stream on time if its heartbeats fill the send buffer', async () => {
  const options = { heartbeat: 'empty-delta', 'heartbeat-ms': 100 } as const
  const latency = createLatencyProfile(createFixedDelay(60_000), createFixedDelay(10), createFixedDelay(0))
  const { clock, emulator } = setUpQueue({ latency, options })
  const responses = await startRequests(emulator, [{ fields: { stream: true } }, {}])
  clock.advance(200_000)
  await Promise.all(responses)
  expect(listWaits(emulator)).toEqual([0, 60_090])
})

import { describe, expect, test } from 'vitest'
import { createScriptedExchange } from '../prove/no-evidence-targets/scripted-context.ts'
import type { Exchange } from '../http/exchange.ts'
import type { TimedOperation } from '../latency/latency-samples.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import type { RequestInFlight } from './crash-suspects.ts'
import { type Health, TargetHealth } from './target-health.ts'

const SERVED = createScriptedExchange({ status: 200 })
const BROKEN = createScriptedExchange({ status: 502 })
const CONNECTION_REFUSED = createScriptedExchange({ status: 0, error: { kind: 'refused', message: 'refused' } })
const LOST = createScriptedExchange({ status: 0, error: { kind: 'reset', message: 'reset' } })
const TIMED_OUT = createScriptedExchange({ status: 0, error: { kind: 'timeout', message: 'timeout' } })
const FORBIDDEN = createScriptedExchange({ status: 403 })

function requestOf(source: string, kind: RequestInFlight['kind'] = 'valid', hasFundedKey = true): RequestInFlight {
  return { source, method: 'POST', path: '/v1/chat/completions', operation: 'chat', kind, hasFundedKey }
}

/** Responds to the next health request. `sent` is the number of health requests to the operation before. */
type Respond = (state: { readonly sent: number; readonly nowMs: number; readonly isAlone: boolean }) => Exchange

/** Judges requests to a target whose list of models and chat respond to health requests like this. */
function watchWith(list: Respond, chat: Respond = list) {
  const ended: RunObstacle[] = []
  const closed: TimedOperation[] = []
  const outages: number[][] = []
  const clock = { nowMs: 0 }
  const state = { isAlone: false }
  const controller = new AbortController()
  const sent = { models: 0, chat: 0 }
  const healthOf = (operation: 'models' | 'chat', respond: Respond) => async (): Promise<Exchange> => {
    sent[operation] += 1
    return respond({ sent: sent[operation] - 1, nowMs: clock.nowMs, ...state })
  }
  const send = { models: healthOf('models', list), chat: healthOf('chat', chat) }
  const health = new TargetHealth({
    signal: controller.signal,
    endRun(obstacle) {
      ended.push(obstacle)
      controller.abort()
    },
    closeOperation: (operation) => void closed.push(operation),
    recordOutage: (attempts) => void outages.push(attempts.map(({ status }) => status)),
    findControl: (operation) => (operation === 'chat' ? send.chat : undefined),
    describeCommand: ({ body }) => `curl ${String(body)}`,
    pause: async (ms) => void (clock.nowMs += ms),
    async alone(work) {
      state.isAlone = true
      const result = await work()
      state.isAlone = false
      return result
    },
    nowMs: () => clock.nowMs,
    fundedKey: 'sk-svc-funded',
  })
  health.start([
    { operation: 'models', isServed: true, send: send.models },
    { operation: 'chat', isServed: true, send: send.chat },
  ])
  const end = (exchange: Exchange, isRepeat = false, request = requestOf('a')): Promise<Health> => {
    health.begin(request)
    return health.end(request, { ...exchange, startedAtMs: clock.nowMs }, isRepeat)
  }
  return { health, ended, closed, outages, end, clock, sent: () => sent.models + sent.chat }
}

const UP: Respond = () => SERVED
const REFUSED: Respond = () => CONNECTION_REFUSED

describe('a target that always responds alike', () => {
  test('gets no health request after a response or a first breakdown', async () => {
    const { end, sent } = watchWith(UP)
    const responses = [SERVED, createScriptedExchange({ status: 404 }), ...Array<Exchange>(9).fill(BROKEN)]
    for (const response of responses) expect(await end(response)).toBe('alive')
    expect(sent()).toBe(0)
  })

  test('gets the control request after each repeat that breaks down, also after parallel ones', async () => {
    const { end, sent } = watchWith(() => BROKEN, UP)
    expect(await Promise.all([end(BROKEN, true), end(LOST, true), end(BROKEN, true)])).toEqual(Array(3).fill('alive'))
    expect(sent()).toBe(3)
  })

  test('is not down if the control request times out only beside other requests', async () => {
    const { end, outages } = watchWith(UP, ({ isAlone }) => (isAlone ? SERVED : TIMED_OUT))
    expect(await end(BROKEN, true)).toBe('alive')
    expect(outages).toEqual([])
  })

  test.each([
    ['403', FORBIDDEN],
    ['401 for the funded key', createScriptedExchange({ status: 401 })],
  ])('gets health requests after the first and every tenth %s', async (_name, response) => {
    const { end, ended, sent } = watchWith(UP)
    for (let count = 0; count < 11; count += 1) expect(await end(response)).toBe('alive')
    // The list of models and a chat.
    expect(sent()).toBe(4)
    expect(ended).toEqual([])
  })
})

describe('an outage', () => {
  test('of the target for a few seconds lets the request be sent again', async () => {
    const outage: Respond = ({ nowMs }) => (nowMs < 2000 ? BROKEN : SERVED)
    const { end, ended, closed } = watchWith(outage)
    expect(await end(BROKEN, true)).toBe('back')
    expect([ended, closed]).toEqual([[], []])
  })

  test('that is over before the first health request still counts', async () => {
    const outage: Respond = ({ nowMs }) => (nowMs < 2000 ? BROKEN : SERVED)
    const { health, end, clock } = watchWith(outage)
    const later = requestOf('later')
    health.begin(later)
    expect(await end(BROKEN, true)).toBe('back')
    expect(await health.end(later, { ...BROKEN, startedAtMs: 1000 }, true)).toBe('back')
    expect(await health.end(later, { ...BROKEN, startedAtMs: clock.nowMs }, true)).toBe('alive')
  })

  test('of one operation is no evidence about its requests', async () => {
    const { end, ended, closed, outages } = watchWith(UP, ({ nowMs }) => (nowMs < 2000 ? BROKEN : SERVED))
    expect(await end(BROKEN, true)).toBe('operation-down')
    expect([ended, closed, outages]).toEqual([[], [], [[502, 502]]])
  })

  test('of one operation that lasts closes the operation', async () => {
    const { end, ended, closed, outages } = watchWith(UP, () => BROKEN)
    expect(await end(BROKEN, true)).toBe('operation-down')
    expect([ended, closed, outages]).toEqual([[], ['chat'], [[502, 502]]])
  })

  test('delays other requests until its health requests end', async () => {
    const { health, end, sent } = watchWith(({ sent: before }) => (before < 2 ? BROKEN : SERVED))
    await health.waitForHealth()
    expect(sent()).toBe(0)
    const repeated = end(BROKEN, true)
    await Promise.resolve()
    await health.waitForHealth()
    await repeated
    expect(sent()).toBeGreaterThan(2)
  })
})

const unavailable = (retryAfter: string): Exchange =>
  createScriptedExchange({ status: 503, headers: { 'retry-after': retryAfter } })

test.each([
  ['continues the run if the target refuses connections for six seconds', 6000, CONNECTION_REFUSED, 'back', 7000],
  ['ends the run 11 seconds after the first refused connection', Infinity, CONNECTION_REFUSED, 'dead', 11_000],
  ['waits for the Retry-After of a 503', 40_000, unavailable('40'), 'back', 40_000],
  ['does not wait for a Retry-After of an hour', Infinity, unavailable('3600'), 'dead', 11_000],
  ['ends the run soon after the Retry-After of a 503', Infinity, unavailable('40'), 'dead', 42_000],
] as const)('%s', async (_name, outageMs, response, health, elapsedMs) => {
  const { end, ended, clock } = watchWith(({ nowMs }) => (nowMs < outageMs ? response : SERVED))
  expect(await end(CONNECTION_REFUSED)).toBe(health)
  expect(clock.nowMs).toBe(elapsedMs)
  expect(ended.map(({ code }) => code)).toEqual(health === 'dead' ? ['target-died'] : [])
})

test('ends the run once if the target remains down, and names the requests in flight, starting with the latest', async () => {
  const { health, end, ended } = watchWith(REFUSED)
  await end(SERVED)
  const others = [requestOf('4.2/valid'), requestOf('7/mistake', 'invalid'), requestOf('5/key', 'invalid', false)]
  for (const request of others) health.begin(request)
  const found = await Promise.all([
    end(CONNECTION_REFUSED, false, requestOf('4.2/open', 'unspecified')),
    end(CONNECTION_REFUSED),
  ])
  expect(found).toEqual(['dead', 'dead'])
  const at = { method: 'POST', path: '/v1/chat/completions' }
  expect(ended).toEqual([
    {
      code: 'target-died',
      params: {
        actualStatus: 0,
        error: 'refused',
        answered: 1,
        aborted: [],
        inFlight: [
          { check: '5/key', ...at },
          { check: '7/mistake', ...at },
          { check: '4.2/valid', ...at },
        ],
        completed: [{ check: 'a', ...at }],
      },
    },
  ])
})

test('names the requests in flight at the first lost connection, and not those at an earlier 5xx', async () => {
  const { health, end, ended } = watchWith(REFUSED)
  const early = requestOf('4.2/early')
  health.begin(early)
  await end(BROKEN, false, requestOf('7/answered', 'invalid'))
  health.begin(requestOf('7/crash', 'invalid'))
  const lost = createScriptedExchange({ status: 0, error: { kind: 'reset', message: 'reset' } })
  await health.end(early, lost, false)
  await end(CONNECTION_REFUSED, false, requestOf('4.2/later'))
  expect(ended.map(({ params }) => ('inFlight' in params ? params.inFlight.map(({ check }) => check) : []))).toEqual([
    ['7/crash', '4.2/early'],
  ])
})

test('counts a request as in flight if it gets its 5xx after the target stopped responding', async () => {
  const { health, end, ended } = watchWith(() => BROKEN)
  await end(SERVED)
  health.begin(requestOf('4.2/open'))
  const crash = requestOf('7/crash')
  health.begin(crash)
  await health.end(crash, BROKEN, false)
  await end(BROKEN, true)
  expect(suspectsOf(ended)).toMatchObject({ inFlight: ['7/crash', '4.2/open'], completed: ['a'] })
})

test('names an aborted request before those in flight, although it has ended', async () => {
  const { health, end, ended, clock } = watchWith(REFUSED)
  await end(SERVED, false, requestOf('2.1/long-ago'))
  clock.nowMs = 5000
  health.begin(requestOf('4.2/open'))
  await end({ ...SERVED, wasAborted: true }, false, requestOf('4.2/abort'))
  await end(SERVED, false, requestOf('4.2/served'))
  await end(CONNECTION_REFUSED, false, requestOf('4.2/later'))
  expect(suspectsOf(ended)).toEqual({ aborted: ['4.2/abort'], inFlight: ['4.2/open'], completed: ['4.2/served'] })
})

function suspectsOf(ended: readonly RunObstacle[]) {
  const [obstacle] = ended
  if (obstacle?.code !== 'target-died') throw new Error('the target did not die')
  const { aborted = [], inFlight, completed = [], command } = obstacle.params
  const [first, second, third] = [aborted, inFlight, completed].map((list) => list.map(({ check }) => check))
  return { aborted: first, inFlight: second, completed: third, command }
}

test('names the request that crashed the service, although other responses arrive after its connection was lost', async () => {
  const { health, end, ended, clock } = watchWith(REFUSED)
  await end(SERVED, false, requestOf('2.1/long-ago', 'invalid'))
  clock.nowMs = 5000
  const other = requestOf('4.2/other')
  health.begin(other)
  const crash = { ...LOST, request: { ...LOST.request, body: Buffer.from('null') } }
  await end(crash, false, requestOf('7/crash', 'invalid'))
  await health.end(other, SERVED, false)
  clock.nowMs = 5100
  await end(CONNECTION_REFUSED, false, requestOf('4.2/later', 'invalid'))
  expect(suspectsOf(ended)).toMatchObject({ inFlight: ['7/crash'], completed: ['4.2/other'], command: 'curl null' })
})

test('names a request that got a response shortly before the service refused connections', async () => {
  const { end, ended, clock } = watchWith(REFUSED)
  await end(SERVED, false, requestOf('2.1/long-ago', 'invalid'))
  clock.nowMs = 5000
  await end(createScriptedExchange({ status: 400 }), false, requestOf('7/crash', 'invalid'))
  await end(SERVED, false, requestOf('4.2/served'))
  await end(CONNECTION_REFUSED, false, requestOf('4.2/later'))
  expect(suspectsOf(ended)).toMatchObject({ inFlight: [], completed: ['4.2/served', '7/crash'] })
})

test.each([
  ['a 403', FORBIDDEN, { answered: 2 }],
  ['a 406', createScriptedExchange({ status: 406 }), { answered: 2, actualStatus: 406 }],
  ['a closed connection', LOST, { answered: 1, actualStatus: 0 }],
])('ends the run if only chats that were served before get %s', async (_name, blocked, params) => {
  const { end, ended } = watchWith(UP, () => blocked)
  await end(SERVED)
  expect(await end(blocked, true)).toBe('dead')
  expect(ended).toEqual([{ code: 'target-blocked', params }])
})

test('does not end the run because of 404 and 429, or because of one closed connection', async () => {
  const { end, ended, sent } = watchWith(UP, ({ sent: before }) => (before < 2 ? LOST : SERVED))
  for (const status of [404, 429]) expect(await end(createScriptedExchange({ status }))).toBe('alive')
  expect(sent()).toBe(0)
  expect(await end(LOST, true)).toBe('operation-down')
  expect(ended).toEqual([])
})

test('has the request repeated if the target serves the control request alone, but not in parallel', async () => {
  const { end, ended, outages } = watchWith(UP, ({ sent: before }) => (before === 0 ? BROKEN : SERVED))
  expect(await end(BROKEN, true)).toBe('back')
  expect([ended, outages]).toEqual([[], []])
})

describe('the funded key', () => {
  const statusOf =
    (status: number): Respond =>
    () =>
      createScriptedExchange({ status })

  test.each([
    [401, 401],
    [402, 200],
  ])('is lost if the target rejects it with %i in every round', async (status, list) => {
    const { end, ended } = watchWith(statusOf(list), statusOf(status))
    expect(await end(createScriptedExchange({ status }))).toBe('dead')
    const params = { key: expect.any(String), actualStatus: status, answered: 1, since: expect.any(String) }
    expect(ended).toEqual([{ code: 'funded-key-lost', params }])
  })

  test.each<[string, number, Respond, Respond]>([
    [
      'the target serves a round',
      401,
      statusOf(401),
      ({ sent }) => createScriptedExchange({ status: sent === 0 ? 401 : 200 }),
    ],
    ['only some requests get a 401', 401, statusOf(200), statusOf(401)],
    [
      'the credits suffice again',
      402,
      statusOf(200),
      ({ sent }) => createScriptedExchange({ status: sent < 2 ? 402 : 200 }),
    ],
  ])('is not lost if %s', async (_name, status, list, chat) => {
    const { end, ended } = watchWith(list, chat)
    expect(await end(createScriptedExchange({ status }))).toBe('alive')
    expect(ended).toEqual([])
  })

  test('is not in doubt after a rejection of another key', async () => {
    const { end, sent } = watchWith(statusOf(401))
    expect(await end(createScriptedExchange({ status: 401 }), false, requestOf('a', 'invalid', false))).toBe('alive')
    expect(sent()).toBe(0)
  })
})

test('closes an operation if its control request gets a 429, too', async () => {
  const limited = createScriptedExchange({ status: 429 })
  const served = watchWith(UP)
  await served.health.judgeLimit(requestOf('a'), limited)
  expect([served.closed, served.clock.nowMs]).toEqual([[], 10_000])
  const other = watchWith(UP, () => limited)
  await other.health.judgeLimit(requestOf('a'), limited)
  expect(other.closed).toEqual(['chat'])
})

test('names no suspects if the target only returned 503, because a rate limit may do so', async () => {
  const busy = createScriptedExchange({ status: 503 })
  const limited = watchWith(() => busy)
  await limited.end(SERVED)
  await limited.end(busy, true)
  expect(limited.ended).toMatchObject([{ params: { actualStatus: 503, inFlight: [], completed: [] } }])

  const crashed = watchWith(() => busy)
  await crashed.end(SERVED)
  for (const exchange of [BROKEN, busy]) await crashed.end(exchange)
  await crashed.end(busy, true)
  expect(crashed.ended).not.toMatchObject([{ params: { completed: [] } }])
})

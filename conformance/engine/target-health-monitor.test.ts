import { expect, test } from 'vitest'
import { createScriptedExchange } from '../checks/scripted-context.ts'
import type { Exchange } from '../http/exchange.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { RequestInFlight } from './crash-suspects.ts'
import { type TargetHealth, TargetHealthMonitor } from './target-health-monitor.ts'

const SERVED = createScriptedExchange({ status: 200 })
const BROKEN = createScriptedExchange({ status: 502 })
const CONNECTION_REFUSED = createScriptedExchange({ status: 0, error: { kind: 'refused', message: 'refused' } })

function requestOf(source: string, kind: RequestInFlight['kind'] = 'valid', isAuthorized = true): RequestInFlight {
  return { source, method: 'POST', path: '/v1/chat/completions', kind, hasFundedKey: isAuthorized }
}

/** Creates a monitor whose health requests get these responses in order. The last response repeats. */
function watchWith(...responses: readonly Exchange[]) {
  const ended: RunObstacle[] = []
  const clock = { nowMs: 0 }
  const controller = new AbortController()
  const endRun = (obstacle: RunObstacle) => {
    ended.push(obstacle)
    controller.abort()
  }
  const watch = new TargetHealthMonitor(controller.signal, endRun, ({ body }) => `curl ${String(body)}`, {
    pause: async (ms) => {
      clock.nowMs += ms
    },
    nowMs: () => clock.nowMs,
  })
  let sent = 0
  const sendHealth = async (): Promise<Exchange> => {
    sent += 1
    return responses[Math.min(sent, responses.length) - 1] ?? SERVED
  }
  watch.start(sendHealth, [sendHealth])
  const end = async (exchange: Exchange, isRepeat = false, request = requestOf('a')): Promise<TargetHealth> => {
    watch.begin(request)
    return watch.end(request, exchange, isRepeat)
  }
  return { watch, ended, end, clock, sent: () => sent }
}

test('sends no health request after a response or a single breakdown', async () => {
  const { end, sent } = watchWith(SERVED)
  expect([await end(SERVED), await end(BROKEN), await end(createScriptedExchange({ status: 404 }))]).toEqual(
    Array(3).fill('alive'),
  )
  expect(sent()).toBe(0)
})

test('sends a health request after a repeat that breaks down and after a refused connection', async () => {
  const { end, sent } = watchWith(SERVED)
  expect(await end(BROKEN, true)).toBe('alive')
  expect(await end(CONNECTION_REFUSED)).toBe('back')
  expect(sent()).toBe(2)
})

test('sends a health request after five consecutive breakdowns over all requests', async () => {
  const { end, sent } = watchWith(SERVED)
  for (let count = 0; count < 4; count += 1) await end(BROKEN)
  await end(SERVED)
  for (let count = 0; count < 4; count += 1) await end(BROKEN)
  expect(sent()).toBe(0)
  expect(await end(BROKEN)).toBe('alive')
  expect(sent()).toBe(1)
})

test('reports a target that responds again after an outage of a few seconds', async () => {
  const { end, ended } = watchWith(BROKEN, CONNECTION_REFUSED, SERVED)
  expect(await end(BROKEN, true)).toBe('back')
  expect(ended).toEqual([])
})

function unavailable(retryAfter: string): Exchange {
  return createScriptedExchange({ status: 503, headers: { 'retry-after': retryAfter } })
}

test.each([
  ['continues the run if the target refuses connections for six seconds', 6000, CONNECTION_REFUSED, 'back', 7000],
  ['ends the run 11 seconds after the first refused connection', Infinity, CONNECTION_REFUSED, 'dead', 11_000],
  ['waits for the Retry-After of a 503', 40_000, unavailable('40'), 'back', 40_000],
  ['does not wait for a Retry-After of an hour', Infinity, unavailable('3600'), 'dead', 11_000],
  ['ends the run soon after the Retry-After of a 503', Infinity, unavailable('40'), 'dead', 42_000],
] as const)('%s', async (_name, outageMs, response, health, elapsedMs) => {
  const { watch, end, ended, clock } = watchWith(SERVED)
  watch.start(async () => (clock.nowMs < outageMs ? response : SERVED), [])
  expect(await end(CONNECTION_REFUSED)).toBe(health)
  expect(clock.nowMs).toBe(elapsedMs)
  expect(ended.map(({ code }) => code)).toEqual(health === 'dead' ? ['target-died'] : [])
})

test('sends three health requests to a target that hangs', async () => {
  const { watch, end, ended, clock } = watchWith(SERVED)
  const timeout = createScriptedExchange({ status: 0, error: { kind: 'timeout', message: 'timeout' } })
  let sent = 0
  watch.start(async () => {
    sent += 1
    clock.nowMs += 5000
    return timeout
  }, [])
  expect(await end(timeout, true)).toBe('dead')
  expect([sent, clock.nowMs, ended.length]).toEqual([3, 18_000, 1])
})

test('waits until the health requests end', async () => {
  const { watch, end, sent } = watchWith(BROKEN, SERVED)
  await watch.waitForHealth()
  expect(sent()).toBe(0)
  const repeated = end(BROKEN, true)
  await watch.waitForHealth()
  expect(sent()).toBe(2)
  await repeated
})

test('ends the run once if the target remains down, and names the requests in flight, starting with invalid ones', async () => {
  const { watch, end, ended, sent } = watchWith(CONNECTION_REFUSED)
  await end(SERVED)
  const others = [requestOf('4.2/valid'), requestOf('7/mistake', 'invalid'), requestOf('5/key', 'invalid', false)]
  for (const request of others) watch.begin(request)
  const found = await Promise.all([
    end(CONNECTION_REFUSED, false, requestOf('4.2/open', 'unspecified')),
    end(CONNECTION_REFUSED),
  ])
  expect(found).toEqual(['dead', 'dead'])
  expect(sent()).toBe(5)
  const at = { method: 'POST', path: '/v1/chat/completions' }
  expect(ended).toEqual([
    {
      code: 'target-died',
      params: {
        actualStatus: 0,
        error: 'refused',
        answered: 1,
        inFlight: [
          { check: '7/mistake', ...at },
          { check: '5/key', ...at },
          { check: '4.2/valid', ...at },
        ],
        completed: [{ check: 'a', ...at }],
      },
    },
  ])
})

test('names the requests in flight at the first lost connection, and not those at an earlier 5xx', async () => {
  const { watch, end, ended } = watchWith(CONNECTION_REFUSED)
  const early = requestOf('4.2/early')
  watch.begin(early)
  await end(BROKEN, false, requestOf('7/answered', 'invalid'))
  watch.begin(requestOf('7/crash', 'invalid'))
  const lost = createScriptedExchange({ status: 0, error: { kind: 'reset', message: 'reset' } })
  await watch.end(early, lost, false)
  await end(CONNECTION_REFUSED, false, requestOf('4.2/later'))
  expect(ended.map(({ params }) => ('inFlight' in params ? params.inFlight.map(({ check }) => check) : []))).toEqual([
    ['7/crash', '4.2/early'],
  ])
})

const LOST = createScriptedExchange({ status: 0, error: { kind: 'reset', message: 'reset' } })

test('among requests in flight, those whose body is not an object come first, then those whose body is not JSON', async () => {
  const { watch, end, ended } = watchWith(CONNECTION_REFUSED)
  const bodies = {
    '4.2/fraction': '{"max_tokens":1.5}',
    '7/null': 'null',
    '7/malformed': '{"model"',
    '4.2/string': '{}',
  }
  const requests = Object.entries(bodies).map(([source, body]) => {
    const error = { kind: 'reset', message: 'reset' } as const
    const sent = { method: 'POST', path: '/v1/chat/completions', headers: {}, body: Buffer.from(body) }
    return { request: requestOf(source, 'invalid'), exchange: createScriptedExchange({ status: 0, error }, sent) }
  })
  for (const { request } of requests) watch.begin(request)
  for (const { request, exchange } of requests) await watch.end(request, exchange, false)
  await end(CONNECTION_REFUSED)
  expect(suspectsOf(ended)).toMatchObject({
    inFlight: ['7/null', '7/malformed', '4.2/string', '4.2/fraction'],
    command: 'curl null',
  })
})

function suspectsOf(ended: readonly RunObstacle[]) {
  const [obstacle] = ended
  if (obstacle?.code !== 'target-died') throw new Error('the target did not die')
  const { inFlight, completed = [], command } = obstacle.params
  return { inFlight: inFlight.map(({ check }) => check), completed: completed.map(({ check }) => check), command }
}

test('names the request that crashed the service, although other responses arrive after its connection was lost', async () => {
  const { watch, end, ended, clock } = watchWith(CONNECTION_REFUSED)
  await end(SERVED, false, requestOf('2.1/long-ago', 'invalid'))
  clock.nowMs = 5000
  const other = requestOf('4.2/other')
  watch.begin(other)
  const crash = { ...LOST, request: { ...LOST.request, body: Buffer.from('null') } }
  await end(crash, false, requestOf('7/crash', 'invalid'))
  await watch.end(other, SERVED, false)
  clock.nowMs = 5100
  await end(CONNECTION_REFUSED, false, requestOf('4.2/later', 'invalid'))
  expect(suspectsOf(ended)).toEqual({ inFlight: ['7/crash'], completed: ['4.2/other'], command: 'curl null' })
})

test('names a request that got a response shortly before the service refused connections', async () => {
  const { end, ended, clock } = watchWith(CONNECTION_REFUSED)
  await end(SERVED, false, requestOf('2.1/long-ago', 'invalid'))
  clock.nowMs = 5000
  await end(createScriptedExchange({ status: 400 }), false, requestOf('7/crash', 'invalid'))
  await end(SERVED, false, requestOf('4.2/served'))
  await end(CONNECTION_REFUSED, false, requestOf('4.2/later'))
  expect(suspectsOf(ended)).toMatchObject({ inFlight: [], completed: ['7/crash', '4.2/served'] })
})

const FORBIDDEN = createScriptedExchange({ status: 403 })

test('ends the run once if the health request also gets a 403', async () => {
  const { end, ended, sent } = watchWith(FORBIDDEN)
  await end(SERVED)
  expect(await Promise.all([end(FORBIDDEN), end(FORBIDDEN), end(FORBIDDEN)])).toEqual(['dead', 'dead', 'dead'])
  expect(sent()).toBe(2)
  expect(ended).toEqual([{ code: 'target-blocked', params: { answered: 4 } }])
})

test('sends few health requests to a target that uses 403 for errors', async () => {
  const { end, ended, sent } = watchWith(SERVED)
  for (let count = 0; count < 21; count += 1) expect(await end(FORBIDDEN)).toBe('alive')
  expect(sent()).toBe(5)
  for (let count = 0; count < 20; count += 1) await end(count % 2 === 0 ? FORBIDDEN : SERVED)
  expect(sent()).toBe(5)
  expect(ended).toEqual([])
})

test('detects that a target which uses 403 for errors blocks the suite', async () => {
  const { end, ended } = watchWith(SERVED, FORBIDDEN)
  for (let count = 0; count < 5; count += 1) expect(await end(FORBIDDEN)).toBe('alive')
  expect(ended).toEqual([])
  expect(await end(FORBIDDEN)).toBe('dead')
  expect(ended.map(({ code }) => code)).toEqual(['target-blocked'])
})

test.each([
  ['a 403', FORBIDDEN, { answered: 2 }],
  ['a 406', createScriptedExchange({ status: 406 }), { answered: 2, actualStatus: 406 }],
  ['a closed connection', LOST, { answered: 1, actualStatus: 0 }],
])('ends the run if only chats that were served before get %s', async (_name, blocked, params) => {
  const { watch, end, ended } = watchWith(SERVED)
  const list = async (): Promise<Exchange> => SERVED
  watch.start(list, [list, async () => blocked])
  await end(SERVED)
  expect(await end(blocked, true)).toBe('dead')
  expect(ended).toEqual([{ code: 'target-blocked', params }])
})

test('does not end the run because of 404 and 429, or because of one closed connection', async () => {
  const { watch, end, ended, sent } = watchWith(SERVED)
  const list = async (): Promise<Exchange> => SERVED
  let chats = 0
  watch.start(list, [
    list,
    async () => {
      chats += 1
      return chats === 3 ? SERVED : LOST
    },
  ])
  for (const status of [404, 429]) expect(await end(createScriptedExchange({ status }))).toBe('alive')
  expect([chats, sent()]).toEqual([0, 0])
  expect(await end(LOST, true)).toBe('alive')
  expect(ended).toEqual([])
})

test('names no suspects if the target only returned 503, because a rate limit may do so', async () => {
  const busy = createScriptedExchange({ status: 503 })
  const limited = watchWith(busy)
  await limited.end(SERVED)
  for (let count = 0; count < 5; count += 1) await limited.end(busy)
  expect(limited.ended).toMatchObject([{ params: { actualStatus: 503, inFlight: [], completed: [] } }])

  const crashed = watchWith(busy)
  await crashed.end(SERVED)
  for (const exchange of [BROKEN, busy, busy, busy, busy]) await crashed.end(exchange)
  expect(crashed.ended).not.toMatchObject([{ params: { completed: [] } }])
})

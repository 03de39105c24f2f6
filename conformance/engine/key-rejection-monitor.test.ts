import { expect, test } from 'vitest'
import { createScriptedExchange } from '../checks/scripted-context.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { RequestInFlight } from './crash-suspects.ts'
import { KeyRejectionMonitor } from './key-rejection-monitor.ts'

const REQUEST: RequestInFlight = {
  source: 'a',
  method: 'POST',
  path: '/v1/chat/completions',
  kind: 'valid',
  hasFundedKey: true,
}

/** Creates a monitor. The list and the chat get these statuses in each round. The last round repeats. */
function monitorWith(...rounds: readonly (readonly [list: number, chat: number])[]) {
  const ended: RunObstacle[] = []
  const controller = new AbortController()
  const endRun = (obstacle: RunObstacle): void => {
    ended.push(obstacle)
    controller.abort()
  }
  let round = -1
  const monitor = new KeyRejectionMonitor(controller.signal, endRun, {
    key: 'sha256:1f3870be',
    pause: async () => void (round += 1),
  })
  const send = (index: 0 | 1) => async () =>
    createScriptedExchange({ status: (rounds[Math.min(round, rounds.length - 1)] ?? [200, 200])[index] })
  monitor.start([send(0), send(1)])
  const end = (status: number, request = REQUEST) => monitor.end(request, createScriptedExchange({ status }), 42)
  return { ended, end, rounds: () => round + 1 }
}

test.each([
  [401, 401],
  [402, 200],
] as const)('ends the run if the target rejects the key with %i in every round', async (status, list) => {
  const { ended, end } = monitorWith([list, status])
  expect(await Promise.all([end(status), end(status)])).toEqual([true, true])
  expect(ended).toEqual([
    {
      code: 'funded-key-lost',
      params: { key: 'sha256:1f3870be', actualStatus: status, answered: 42, since: expect.any(String) },
    },
  ])
})

test.each<[string, number, readonly (readonly [number, number])[]]>([
  [
    'the target serves a round',
    401,
    [
      [401, 401],
      [401, 200],
    ],
  ],
  ['only some requests get a 401', 401, [[200, 401]]],
  [
    'the credits suffice again',
    402,
    [
      [200, 402],
      [200, 402],
      [200, 200],
    ],
  ],
])('continues the run if %s', async (_name, status, rounds) => {
  const { ended, end } = monitorWith(...rounds)
  expect(await end(status)).toBe(false)
  expect(ended).toEqual([])
})

test('sends no requests for a rejection of another key, or for other statuses', async () => {
  const { end, rounds } = monitorWith([401, 401])
  expect(await end(401, { ...REQUEST, hasFundedKey: false })).toBeUndefined()
  expect(await end(404)).toBeUndefined()
  expect(rounds()).toBe(0)
})

test('confirms an ordinary rejection once, and again after five rejections in a row', async () => {
  const { end, rounds } = monitorWith([200, 200])
  for (let count = 0; count < 5; count += 1) await end(401)
  expect(rounds()).toBe(1)
  await end(401)
  expect(rounds()).toBe(2)
})

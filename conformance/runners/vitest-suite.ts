/* oxlint-disable vitest/expect-expect, vitest/valid-title -- The engine decides the outcomes; the IDs of the checks are the titles. */
/* oxlint-disable unicorn/require-post-message-target-origin, unicorn/prefer-add-event-listener -- Node's channels have no origins, and type no listeners. */
import { BroadcastChannel } from 'node:worker_threads'
import { afterAll, inject, test } from 'vitest'
import { type TestResult, READY_MESSAGE, type ResultMessage } from './vitest-channel.ts'

// This file runs inside vitest. Each planned check has one test, which waits for the result from the engine.

const { ids, channel: channelName } = inject('touchstone')
const results = new Map(ids.map((id) => [id, Promise.withResolvers<TestResult | undefined>()]))
const channel = new BroadcastChannel(channelName)
channel.onmessage = ({ data }: { readonly data: ResultMessage }) => {
  if (data.kind === 'result') {
    results.get(data.result.id)?.resolve(data.result)
  } else {
    for (const { resolve } of results.values()) resolve(undefined)
  }
}
channel.postMessage(READY_MESSAGE)

for (const [id, { promise }] of results) {
  test(id, async () => {
    const result = await promise
    if (result === undefined) throw new Error('The run ended without a result for this check.')
    if (result.verdict === 'fail' || result.verdict === 'error') throw new Error(result.actual)
  })
}

afterAll(() => channel.close())

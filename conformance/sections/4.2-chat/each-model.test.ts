import { expect, test } from 'vitest'
import { parseJson } from '../../http/decode-body.ts'
import { eachModelTemperatureCheck } from './each-model.ts'
import { createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'

interface Chat {
  readonly model: string
  readonly temperature?: number
  readonly max_tokens?: number
  readonly stream?: boolean
  readonly messages: readonly { readonly role: string }[]
}

/** Runs the check against a target that rejects some chats with 400. */
async function run(rejects: (chat: Chat) => boolean) {
  let requests = 0
  const context = createScriptedContext(({ body }) => {
    requests += 1
    const chat = parseJson(Buffer.from(body ?? []).toString('utf8')) as Chat // Safe because the check sends only chats.
    if (rejects(chat)) return { status: 400 }
    return chat.stream === true
      ? { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'data: {"choices":[]}\n\n' }
      : { status: 200, body: '{"object":"chat.completion"}' }
  })
  const outcome = await eachModelTemperatureCheck.run(context)
  return { outcome, requests, models: context.catalog.chatModels().length }
}

const hasSystem = ({ messages }: Chat): boolean => messages.some(({ role }) => role === 'system')

test.each<[name: string, rejects: (chat: Chat) => boolean]>([
  ['serves every chat', () => false],
  ['rejects the system message', hasSystem],
])('passes a target that %s', async (_name, rejects) => {
  const { outcome, models } = await run(rejects)
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { models } } })
})

test.each<[name: string, temperature: number, rejects: (chat: Chat) => boolean]>([
  ['rejects 0', 0, (chat) => chat.temperature === 0],
  ['rejects 2 and the system message', 2, (chat) => hasSystem(chat) || chat.temperature === 2],
  ['rejects 0 after a model that serves no chat', 0, (chat) => chat.model === 'o3-mini' || chat.temperature === 0],
])('fails a target that %s', async (_name, temperature, rejects) => {
  const { outcome } = await run(rejects)
  expect(outcome).toMatchObject({ verdict: 'fail', difference: { parameter: 'temperature', value: temperature } })
})

test('fails one model that rejects a temperature, if a model before has another cause for a rejection', async () => {
  const { outcome } = await run((chat) => hasSystem(chat) || (chat.model === 'vendorc-4o' && chat.temperature === 2))
  expect(outcome).toMatchObject({ verdict: 'fail', difference: { value: 2, model: 'vendorc-4o' } })
})

test('does not count models that serve no chat', async () => {
  const { outcome, models } = await run(({ model }) => model === 'vendorc-4o')
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { models: models - 1 } } })
})

test('is not testable if no model serves a chat, and sends no more requests than its cost states', async () => {
  const { outcome, requests } = await run(() => true)
  expect(outcome).toMatchObject({ verdict: 'not-testable', code: 'no-evidence' })
  expect(requests).toBeLessThanOrEqual(eachModelTemperatureCheck.cost.requests)
})

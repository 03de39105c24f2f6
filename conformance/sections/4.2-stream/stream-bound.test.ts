import { expect, test } from 'vitest'
import { getMember } from '../shared/response-access.ts'
import { streamBoundCheck, streamDefaultBoundCheck } from './stream-bound.ts'
import { createScriptedContext, type ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

const WORDS = Array.from({ length: 5000 }, () => 'seven ')

interface Behaviour {
  /** Returns the number of tokens of the nth completion, starting with 0. Each token is a word. */
  readonly tokens: (maxTokens: number, nth: number) => number
  /** Number of words in each event. Default: 1. */
  readonly wordsPerEvent?: number
  readonly streamUsage?: true
  /** Without usage, or with a usage of 0 tokens for any text. */
  readonly usage?: false | 0
  readonly text?: false
  /** Returns whether the nth stream lacks `[DONE]`. None of the streams contains a `finish_reason`. */
  readonly truncated?: (nth: number) => boolean
}

function contextOf({ tokens, wordsPerEvent = 1, streamUsage, usage, text, truncated }: Behaviour) {
  const sent: unknown[] = []
  const context = createScriptedContext(({ body }): ScriptedResponse => {
    const fields: unknown = JSON.parse(Buffer.from(body ?? []).toString())
    const count = tokens(Number(getMember(fields, 'max_tokens') ?? 256), sent.length)
    sent.push(fields)
    const words = text === false ? [] : WORDS.slice(0, count)
    if (getMember(fields, 'stream') !== true) {
      const completion = {
        choices: [{ message: { content: words.join('') } }],
        ...(usage === false ? {} : { usage: { completion_tokens: usage ?? count } }),
      }
      return { status: 200, body: JSON.stringify(completion) }
    }
    if (getMember(fields, 'stream_options') !== undefined && streamUsage === undefined && usage === false)
      return { status: 400 }
    const events = Array.from({ length: Math.ceil(words.length / wordsPerEvent) }, (_, index) => ({
      choices: [{ delta: { content: words.slice(index * wordsPerEvent, (index + 1) * wordsPerEvent).join('') } }],
    }))
    const all = [...events, ...(streamUsage === true ? [{ choices: [], usage: { completion_tokens: count } }] : [])]
    const done = truncated?.(sent.length - 1) === true ? [] : ['data: [DONE]\n\n']
    const frames = [...all.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), ...done]
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: frames.join('') }
  })
  return { sent, context }
}

const kept = (maxTokens: number) => maxTokens

test('passes a stream whose usage is within max_tokens', async () => {
  const { sent, context } = contextOf({ tokens: kept, streamUsage: true })
  const params = { seen: { kind: 'tokens', tokens: 16 } }
  expect(await streamBoundCheck.run(context)).toMatchObject({ verdict: 'pass', params })
  expect(sent).toHaveLength(1)
})

test('fails a stream that exceeds max_tokens', async () => {
  const sometimes = () => 138
  const withUsage = contextOf({ tokens: sometimes, streamUsage: true })
  expect(await streamBoundCheck.run(withUsage.context)).toMatchObject({
    verdict: 'fail',
    code: 'bound-exceeded',
    params: { path: 'usage.completion_tokens', actual: 138 },
  })
  const without = contextOf({ tokens: sometimes })
  const params = { words: 138, events: 138 }
  expect(await streamBoundCheck.run(without.context)).toMatchObject({
    verdict: 'fail',
    code: 'text-exceeds-bound',
    params,
  })
})

test.each([1, 8])('fails streams without usage that have 4000 tokens, %i in each event', async (wordsPerEvent) => {
  const raised = { tokens: () => 4000, wordsPerEvent }
  for (const check of [streamBoundCheck, streamDefaultBoundCheck]) {
    expect(await check.run(contextOf(raised).context)).toMatchObject({ verdict: 'fail', code: 'text-exceeds-bound' })
    const plain = await check.run(contextOf({ ...raised, usage: false }).context)
    expect(plain).toMatchObject({ verdict: 'fail', code: 'text-exceeds-bound' })
  }
})

test('estimates the tokens of a text without usage from a completion that is not a stream', async () => {
  const params = { seen: { kind: 'text-length', characters: 96, tokens: 16 } }
  expect(await streamBoundCheck.run(contextOf({ tokens: kept }).context)).toMatchObject({ verdict: 'pass', params })
  const longer = (maxTokens: number, nth: number) => (nth === 1 ? maxTokens : maxTokens + 6)
  expect(await streamBoundCheck.run(contextOf({ tokens: longer, wordsPerEvent: 4 }).context)).toMatchObject({
    verdict: 'not-testable',
    params: { missing: 'stream-length' },
  })
})

test.each([
  ['neither usage nor text', { tokens: kept, text: false }, 'result'],
  ['no usage, and other completions have none either', { tokens: kept, usage: false }, 'stream-length'],
  ['no usage, and other completions report 0 tokens', { tokens: kept, usage: 0 }, 'stream-length'],
] as const)('does not pass streams with %s', async (_name, behaviour, missing) => {
  for (const check of [streamBoundCheck, streamDefaultBoundCheck]) {
    const outcome = await check.run(contextOf(behaviour).context)
    expect(outcome).toMatchObject({ verdict: 'not-testable', params: { missing } })
  }
})

test('does not pass if a stream stops before its end, whether or not it reports usage', async () => {
  for (const streamUsage of [{}, { streamUsage: true }] as const) {
    const once = contextOf({ tokens: kept, truncated: (nth) => nth === 0, ...streamUsage })
    expect(await streamBoundCheck.run(once.context)).toMatchObject(TRUNCATED)
    const always = contextOf({ tokens: () => 4, truncated: () => true, ...streamUsage })
    expect(await streamDefaultBoundCheck.run(always.context)).toMatchObject(TRUNCATED)
  }
  const beyond = contextOf({ tokens: () => 4000, truncated: () => true })
  expect(await streamDefaultBoundCheck.run(beyond.context)).toMatchObject({ code: 'text-exceeds-bound' })
})

const TRUNCATED = { verdict: 'not-testable', code: 'no-evidence', params: { missing: 'recognizable-end' } }

test('counts the text of streams whose events are plain text', async () => {
  const bare = (text: string) =>
    createScriptedContext(() => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: text
        .trim()
        .split(' ')
        .map((word) => `data: ${word}\n\n`)
        .join(''),
    }))
  expect(await streamBoundCheck.run(bare('a b c d'))).toMatchObject({
    verdict: 'pass',
    params: { seen: { kind: 'short-text', bytes: 4 } },
  })
  expect(await streamBoundCheck.run(bare('seven '.repeat(14)))).toMatchObject({
    verdict: 'not-testable',
    params: { missing: 'stream-length' },
  })
})

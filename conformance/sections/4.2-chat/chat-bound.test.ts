import { expect, test } from 'vitest'
import { maxTokensBoundCheck, maxTokensDefaultCheck } from './chat.ts'
import { createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'

const words = (count: number): string => Array.from({ length: count }, () => 'seven').join(' ')

function contextOf(content: string | undefined, usage?: unknown) {
  const message = content === undefined ? {} : { content }
  const body = JSON.stringify({ object: 'chat.completion', choices: [{ message }], usage })
  return createScriptedContext(() => ({ status: 200, body }))
}

test('compares completion_tokens with max_tokens', async () => {
  const run = (tokens: number) => maxTokensBoundCheck.run(contextOf('a', { completion_tokens: tokens }))
  expect(await run(16)).toMatchObject({ verdict: 'pass', code: 'as-expected' })
  expect(await run(7)).toMatchObject({ verdict: 'pass', code: 'bound-not-reached' })
  expect(await run(17)).toMatchObject({ verdict: 'fail', code: 'bound-exceeded' })
})

test.each([
  ['usage is missing', undefined, 'usage'],
  ['completion_tokens is a string', { completion_tokens: '16' }, 'usage'],
  ['completion_tokens is 0 for a completion with text', { completion_tokens: 0 }, 'token-count'],
])('if %s, only the text can show that a completion is too long', async (_name, usage, missing) => {
  const run = (content: string | undefined) => maxTokensBoundCheck.run(contextOf(content, usage))
  const untestable = { verdict: 'not-testable', code: 'no-evidence', params: { missing } }
  expect(await run(words(33))).toMatchObject({ verdict: 'fail', code: 'text-exceeds-bound', params: { words: 33 } })
  expect(await run(words(32))).toMatchObject(untestable)
  expect(await run('sixteen letters.')).toMatchObject({ verdict: 'pass', params: { seen: { bytes: 16 } } })
})

test('passes a completion without text only if usage counts its tokens', async () => {
  const run = (content: string | undefined, usage?: unknown) => maxTokensBoundCheck.run(contextOf(content, usage))
  for (const content of ['', undefined]) {
    expect(await run(content)).toMatchObject({ verdict: 'not-testable', code: 'no-evidence' })
    expect(await run(content, { completion_tokens: 0 })).toMatchObject({ verdict: 'pass', code: 'bound-not-reached' })
  }
})

test('without usage and max_tokens, compares the text with the default of 256', async () => {
  expect(await maxTokensDefaultCheck.run(contextOf(words(513)))).toMatchObject({ code: 'text-exceeds-bound' })
  expect(await maxTokensDefaultCheck.run(contextOf(words(256)))).toMatchObject({ verdict: 'not-testable' })
})

test('warns about a completion that is truncated below the default of 256', async () => {
  const run = (reason: string, tokens: number) => {
    const choices = [{ message: { content: 'a' }, finish_reason: reason }]
    const body = JSON.stringify({ object: 'chat.completion', choices, usage: { completion_tokens: tokens } })
    return maxTokensDefaultCheck.run(createScriptedContext(() => ({ status: 200, body })))
  }
  expect(await run('length', 16)).toMatchObject({ verdict: 'warn', code: 'truncated-below-default' })
  expect(await run('stop', 16)).toMatchObject({ verdict: 'pass', code: 'bound-not-reached' })
  expect(await run('length', 256)).toMatchObject({ verdict: 'pass', code: 'as-expected' })
})

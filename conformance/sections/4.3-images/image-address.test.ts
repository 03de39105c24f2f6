import { expect, test } from 'vitest'
import { fileMediaTypeCheck, urlKindCheck, urlNeedsKeyCheck, urlResolvesCheck } from './image-address.ts'
import { createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'
import type { ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0])

const REDIRECT = { status: 302, headers: { location: 'http://elsewhere.test/a.png' } } as const

/** Creates a target whose image results contain this URL. It responds to every GET with `file`. */
function target(url: string, file: ScriptedResponse) {
  const requested: string[] = []
  const context = createScriptedContext(({ method, path }) => {
    if (method === 'POST') return { status: 200, body: JSON.stringify({ created: 1, data: [{ url }] }) }
    requested.push(path)
    return file
  })
  return { context, requested }
}

test.each([
  ['http://target.test/v1/images/a.png', { status: 200, body: PNG }, 'pass', 'pass'],
  ['HTTP://TARGET.test:80/v1/images/a.png', { status: 200, body: PNG }, 'pass', 'pass'],
  ['http://target.test/v1/images/a.png?sig=1', { status: 200, body: PNG }, 'pass', 'pass'],
  ['http://target.test/v1/images/b.jpeg', { status: 200, body: JPEG }, 'pass', 'pass'],
  ['http://target.test/v1/images/a.png', { status: 200, body: JPEG }, 'pass', 'warn'],
  ['http://target.test/v1/images/a', { status: 200, body: PNG }, 'pass', 'warn'],
  ['http://target.test/v1/images/a.png', { status: 200, body: '' }, 'warn', 'warn'],
  ['http://target.test/v1/images/a.png', { status: 404 }, 'warn', 'warn'],
  ['http://target.test/v1/images/a.png', { status: 302 }, 'warn', 'warn'],
  ['http://target.test/v1/images/a.png', REDIRECT, 'not-testable', 'not-testable'],
  ['http://elsewhere.test/v1/images/a.png', { status: 200, body: PNG }, 'not-testable', 'not-testable'],
  ['a.png', { status: 200, body: PNG }, 'not-testable', 'not-testable'],
] as const)('checks the image URL of a target: %s with %o', async (url, file, resolves, kind) => {
  expect((await urlResolvesCheck.run(target(url, file).context)).verdict).toBe(resolves)
  expect((await urlKindCheck.run(target(url, file).context)).verdict).toBe(kind)
})

test('does not judge an empty response to the image request as the image file', async () => {
  const empty = createScriptedContext(() => ({ status: 200, body: '' }))
  for (const check of [urlResolvesCheck, urlKindCheck, fileMediaTypeCheck]) {
    expect(await check.run(empty)).toMatchObject({ verdict: 'not-testable', params: { missing: 'result' } })
  }
})

test.each([
  ['http://target.test/v1/images/a.png', 'observed'],
  ['http://elsewhere.test/v1/images/a.png', 'not-testable'],
] as const)('shows whether the image URL %s needs the key: %s', async (url, verdict) => {
  expect((await urlNeedsKeyCheck.run(target(url, { status: 200, body: PNG }).context)).verdict).toBe(verdict)
})

test('never contacts an image URL on another host and never sends the key there', async () => {
  const { context, requested } = target('http://target.test.elsewhere.test/v1/images/a.png', { status: 200, body: PNG })
  await urlResolvesCheck.run(context)
  expect(requested).toEqual([])
})

import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { callControl, sendChat } from '../tests/support/requests.ts'

async function complete(emulator: Emulator, content: string, key: string = emulator.keys.funded) {
  const response = await sendChat(emulator, { messages: [{ role: 'user', content }] }, { key })
  return response.text()
}

test('adds fixtures before the existing ones, lists them with their counters, and removes them', async () => {
  await using emulator = await startEmulator({ fixtures: [{ text: 'from the start' }] })
  const added = await callControl(emulator, '/fixtures', {
    method: 'POST',
    body: [
      { message: { matches: 'weather' }, text: 'sunny' },
      { key: emulator.keys.small, text: 'for one key' },
    ],
  })
  expect([added.status, added.json]).toMatchObject([
    201,
    {
      fixtures: [
        { id: 'fixture-2', hits: 0, fixture: { text: 'sunny' } },
        { id: 'fixture-3', fixture: { key: fingerprintSecret(emulator.keys.small) } },
      ],
    },
  ])
  expect(await complete(emulator, 'the weather')).toContain('sunny')
  expect(await complete(emulator, 'anything', emulator.keys.small)).toContain('for one key')
  expect(await complete(emulator, 'anything')).toContain('from the start')

  const single = await callControl(emulator, '/fixtures', { method: 'POST', body: { message: 'one', text: 'single' } })
  expect(single.json).toMatchObject({ fixtures: [{ id: 'fixture-4' }] })
  const ids = async () =>
    (await callControl(emulator, '/fixtures')).json.fixtures.map(({ id, hits }: { id: string; hits: number }) => [
      id,
      hits,
    ])
  expect(await ids()).toEqual([
    ['fixture-4', 0],
    ['fixture-2', 1],
    ['fixture-3', 1],
    ['fixture-1', 1],
  ])

  expect((await callControl(emulator, '/fixtures/fixture-2', { method: 'DELETE' })).status).toBe(204)
  expect((await callControl(emulator, '/fixtures/fixture-2', { method: 'DELETE' })).status).toBe(404)
  expect(await complete(emulator, 'the weather')).toContain('from the start')
  expect((await callControl(emulator, '/fixtures', { method: 'DELETE' })).status).toBe(204)
  expect(await complete(emulator, 'the weather')).not.toContain('from the start')
  emulator.reset()
  expect(await ids()).toEqual([['fixture-1', 0]])
})

test('rejects an invalid fixture with one sentence, and adds no fixture', async () => {
  await using emulator = await startEmulator()
  const rejected = await callControl(emulator, '/fixtures', { method: 'POST', body: [{ text: 'fine' }, { txet: 'a' }] })
  expect([rejected.status, rejected.json.error]).toEqual([
    400,
    expect.stringMatching(/^Fixture 2 is invalid\. It has no field "txet"\./),
  ])
  expect((await callControl(emulator, '/fixtures')).json).toEqual({ fixtures: [] })
})

test('rejects new fixtures while the emulator records', async () => {
  const recordDir = mkdtempSync(join(tmpdir(), 'touchstone-fixture-routes-'))
  await using emulator = await startEmulator({ record: 'http://127.0.0.1:9', recordDir })
  const rejected = await callControl(emulator, '/fixtures', { method: 'POST', body: { text: 'a' } })
  expect([rejected.status, rejected.json.error]).toEqual([400, 'Fixtures have no effect while the emulator records.'])
})

test('adds and removes fixtures in process, and throws for an invalid fixture', async () => {
  await using emulator = await startEmulator()
  const [added] = emulator.fixtures.add({ message: /hello/i, text: 'Hello!' })
  expect(added).toEqual({
    id: 'fixture-1',
    hits: 0,
    fixture: { message: { matches: 'hello', flags: 'i' }, text: 'Hello!' },
  })
  expect(await complete(emulator, 'HELLO')).toContain('Hello!')
  expect(emulator.fixtures.list()).toMatchObject([{ hits: 1 }])
  expect([emulator.fixtures.remove('fixture-1'), emulator.fixtures.remove('fixture-1')]).toEqual([true, false])
  expect(() => emulator.fixtures.add({})).toThrow(/^Fixture 1 is invalid\. It needs "text"/)
})

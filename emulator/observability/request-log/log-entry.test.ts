import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createEmulator } from '../../create-emulator.ts'

test.each([
  ['path', '/x'.repeat(50_000), ''],
  ['query', '/of-this-key?x=', 'x'.repeat(100_000)],
  ['request ID', '', 'x'.repeat(100_000)],
])('keeps only the logged part of a long %s in memory', async (name, path, rest) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc') // The V8 flag adds `gc` only to new contexts.
  const emulator = createEmulator()
  const sendRequests = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const url = `http://x/v1/models${path}${index}${name === 'query' ? rest : ''}`
      const headers = { 'x-client-request-id': `${index}${name === 'request ID' ? rest : ''}` }
      await (await emulator.fetch(url, { headers })).text()
    }
    await new Promise((resolve) => setImmediate(resolve))
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = await sendRequests(10)
  expect((await sendRequests(60)) - before).toBeLessThan(3e6)
  expect(emulator.requests()).toHaveLength(70)
})

test('changes the limits of the request log in process until a reset', async () => {
  const emulator = createEmulator()
  const isLogged = async () => {
    await (await emulator.fetch('http://x/v1/models')).text()
    return emulator.requests().at(-1)?.requestHeaders !== undefined
  }
  expect(emulator.setRequestLogLimits({ bodies: 5 })).toEqual({
    entries: 10_000,
    bytes: 16_777_216,
    bodies: 5,
    digests: 0,
  })
  expect(await isLogged()).toBe(true)
  expect(() => emulator.setRequestLogLimits({ bodies: 1.5 })).toThrow("'bodies' must be an integer from 0 to 65536")
  emulator.reset()
  expect(await isLogged()).toBe(false)
})

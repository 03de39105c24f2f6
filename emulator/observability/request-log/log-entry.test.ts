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

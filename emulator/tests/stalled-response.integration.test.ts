import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const BODY = JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: 'Hi.' }], stream: true })

/** Reads a stream that stalls, with the timeout of a client. The timer of `AbortSignal.timeout` keeps no process running. */
const PROGRAM = `
  const { createEmulator } = await import('../create-emulator.ts')
  const { fetch, keys } = createEmulator({ fault: 'stallAfterEvents=2' })
  const headers = { authorization: 'Bearer ' + keys.funded }
  const request = { method: 'POST', headers, body: '${BODY}', signal: AbortSignal.timeout(100) }
  const response = fetch('http://emulator.test/v1/chat/completions', request)
  // On a slow machine, the timeout may end before the first event.
  await response.then((stream) => stream.text()).catch((error) => console.log(error.name))`

test('keeps the process running while an in-process stream stalls, until the client aborts', async () => {
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], { cwd })
  expect(stdout).toBe('TimeoutError\n')
})

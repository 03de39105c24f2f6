import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const COMMAND_LINE = fileURLToPath(new URL('./bin.js', import.meta.url))

/** Time after the ready message until the emulator has installed its signal handlers. */
const HANDLERS_INSTALLED_MS = 100

/**
 * Starts the emulator with its compile cache in `directory`, stops it, and returns Node's messages about cached code.
 */
async function readCacheMessages(directory: string): Promise<string> {
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env
  const env = { ...inherited, TMPDIR: directory, TEMP: directory, NODE_DEBUG_NATIVE: 'CODE_CACHE,COMPILE_CACHE' }
  const child = spawn(process.execPath, [COMMAND_LINE, 'emulator', '--port', '0'], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString()
    if (data.includes('ready at')) setTimeout(() => child.kill('SIGTERM'), HANDLERS_INSTALLED_MS)
  })
  await closed
  return output
}

test('starts from cached code although V8 flags change while modules load', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-cache-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await readCacheMessages(directory) // Fills the compile cache.
  const messages = await readCacheMessages(directory)
  // An idle machine prints more than 200 lines. A busy machine may stop the emulator before it has loaded all modules.
  expect(messages.match(/^.*V8 code cache for .* was accepted/gm)?.length).toBeGreaterThan(100)
  expect(messages).toContain(join('node-compile-cache', 'touchstone-emulator')) // The directory name contains the command, because other commands must not cache code there.
  expect(messages).not.toMatch(/V8 code cache for .* was rejected/)
  for (const name of ['cluster', 'crypto', 'http', 'http2', 'tls']) {
    expect(messages).not.toMatch(new RegExp(`Code cache of ${name} .* is rejected`))
  }
})

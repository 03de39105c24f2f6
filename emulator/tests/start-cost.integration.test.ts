import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/**
 * Lists the modules that a process loads when it runs `source`: paths of CommonJS files, and names of Node's internal
 * modules.
 */
async function loadedBy(source: string): Promise<string> {
  const listModules =
    'console.log([...Object.keys(Module._cache), ...process.moduleLoadList].join("\\n"));process.exit()'
  const script = `import Module from 'node:module';${source};${listModules}`
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd })
  return stdout
}

/** Name of Node's internal HTTP client, whose loading takes a large part of the startup time. */
const UNDICI = 'NativeModule internal/deps/undici/undici'
const SCHEMA_COMPILERS = /node_modules\/(ajv|fast-json-stringify)\/(lib|dist)\/(ajv|core|index)/

test('an in-process emulator loads no HTTP server', async () => {
  const loaded = await loadedBy("const { createEmulator } = await import('../create-emulator.ts'); createEmulator()")
  expect(loaded).toContain('NativeModule crypto')
  expect(loaded).not.toContain('node_modules/fastify/')
  expect(loaded).not.toContain(UNDICI)
})

test('a server loads neither schema compilers nor an HTTP client', async () => {
  const loaded = await loadedBy("const { startEmulator } = await import('../start-emulator.ts'); await startEmulator()")
  expect(loaded).toContain('node_modules/fastify/')
  expect(loaded).not.toMatch(SCHEMA_COMPILERS)
  expect(loaded).not.toContain(UNDICI)
})

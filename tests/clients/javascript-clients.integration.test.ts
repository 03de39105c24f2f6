import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createExpectedRun } from './expected-run.ts'
import { JAVASCRIPT_CLIENTS } from './clients.ts'
import { runClient } from './run-client.ts'

// Tests the versions in this repository's lock file. The nightly tier tests newer versions, and clients in other
// languages.

const DEPENDENCIES = new Set(['openai', '@ai-sdk/openai-compatible', '@langchain/openai'])
const directory = join(import.meta.dirname, 'javascript')

describe.each(JAVASCRIPT_CLIENTS.filter(({ package: name }) => DEPENDENCIES.has(name)))('$title', (client) => {
  test('passes every scenario with the emulator', async () => {
    const command = { command: process.execPath, arguments: [join(directory, client.program)], directory }
    expect(await runClient(command)).toEqual(createExpectedRun(client))
  })
})

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createExpectedRun } from './expected-run.ts'
import { renderClientTable } from './client-table.ts'
import { type ClientProgram, CLIENTS } from './clients.ts'
import { findMissingCommand, installClient } from './installation.ts'
import { runClient } from './run-client.ts'

// Installs client libraries in pinned versions from their package registries, and runs a program with each.

/** Directory for the installed packages. Set the variable to reuse the packages in the next run. */
const CACHE = process.env['TOUCHSTONE_CLIENTS'] ?? mkdtempSync(join(tmpdir(), 'clients-'))
const PAGE = join(import.meta.dirname, '../../docs/reference/clients.md')
const TABLE = /^\| client \|.*(?:\n\|.*)+/m

const passed = new Set<ClientProgram>()
const skipped = new Set<ClientProgram>()

describe.each(CLIENTS)('$title', (client) => {
  test('passes every scenario with the emulator', async (context) => {
    const missing = findMissingCommand(client.installation)
    if (missing !== undefined) {
      skipped.add(client)
      context.skip(missing)
    }
    expect(await runClient(await installClient(client, CACHE))).toEqual(createExpectedRun(client))
    passed.add(client)
  })
})

test('docs/reference/clients.md shows the clients that passed', (context) => {
  if (skipped.size > 0) context.skip(`${skipped.size} clients could not be installed`)
  expect([...passed]).toEqual(CLIENTS)
  const table = renderClientTable(CLIENTS)
  const page = readFileSync(PAGE, 'utf8')
  if (process.env['TOUCHSTONE_WRITE_CLIENTS'] === '1')
    writeFileSync(
      PAGE,
      page.replace(TABLE, () => table),
    )
  else expect(TABLE.exec(page)?.[0]).toBe(table)
})

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseTableRows } from './supply-chain-page.ts'

const EXTENSION = fileURLToPath(new URL('../scenarios/extension', import.meta.url))
/** Timeout for a machine that has to download the Go modules first. */
const DOWNLOAD_TIMEOUT_MS = 600_000

test(
  'the Go modules of the extension have the licences listed in docs/reference/supply-chain.md',
  { timeout: DOWNLOAD_TIMEOUT_MS },
  (context) => {
    const listed = parseTableRows('Modules').map(([module = '', , licence = '']) => ({ module, licence }))
    const folders = downloadModules(listed.map(({ module }) => module))
    if (folders === undefined) return context.skip('Go is not installed, or its modules cannot be downloaded')
    expect(folders.map(readLicence)).toEqual(listed.map(({ licence }) => licence))
  },
)

/** Returns the directory of each module, or undefined if Go is not installed or a module cannot be downloaded. */
function downloadModules(modules: readonly string[]): readonly string[] | undefined {
  const go = (...args: readonly string[]) =>
    execFileSync('go', args, { cwd: EXTENSION, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    go('mod', 'download', ...modules)
    return go('list', '-m', '-f', '{{.Dir}}', ...modules)
      .trimEnd()
      .split('\n')
  } catch {
    return undefined
  }
}

/** Identifies a licence by its text, because Go modules do not declare the name of their licence. */
function readLicence(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(?:\.\w+)?$/i.test(name))
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').replaceAll(/\s+/g, ' ')
  if (/GNU AFFERO GENERAL PUBLIC LICENSE Version 3/.test(text)) return 'AGPL-3.0'
  if (/Permission is hereby granted, free of charge/.test(text)) return 'MIT'
  if (/Redistribution and use in source and binary forms/.test(text)) {
    return /Neither the name of/.test(text) ? 'BSD-3-Clause' : 'BSD-2-Clause'
  }
  return 'another'
}

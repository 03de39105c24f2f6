import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nameTemporary, removeLeftOvers } from './left-overs.ts'

test('removes files and directories of ended processes of this host, and no others', () => {
  const parent = mkdtempSync(join(tmpdir(), 'touchstone-temporary-'))
  const { pid } = spawnSync('true')
  const kept = [
    `${nameTemporary('load-')}a`,
    `load-${hostname()}-1-a`, // belongs to a process of another user
    `load-other-host-${pid}-a`,
    `load-${hostname()}-${pid}`,
    `other-${hostname()}-${pid}-a`,
  ]
  for (const name of [`load-${hostname()}-${pid}-a`, ...kept]) mkdirSync(join(parent, name))
  writeFileSync(join(parent, `load-${hostname()}-${pid}-a`, 'events'), '{}')
  writeFileSync(join(parent, `load-${hostname()}-${pid}-file`), '')
  removeLeftOvers(parent, 'load-')
  expect(readdirSync(parent)).toEqual(kept.toSorted())
  removeLeftOvers(join(parent, 'missing'), 'load-')
})

#!/usr/bin/env node
// Plain JavaScript that any Node.js understands: it says which one is needed where this one is too old. And the cache is on
// before the first file whose types have to be stripped: what strips them need not be loaded then, and each file is
// compiled once per machine instead of once per start.
import nodeModule from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const OLDEST = [22, 22]

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(`touchstone needs Node.js ${OLDEST.join('.')} or later, and this is ${process.versions.node}.\n`)
  process.exitCode = 2
} else {
  // The emulator loads its modules with other V8 flags (new-space.ts), and V8 rejects code that was compiled with others.
  const ownCache = join(tmpdir(), 'node-compile-cache', 'touchstone-emulator')
  nodeModule.enableCompileCache(process.argv[2] === 'emulator' ? ownCache : undefined)
  await import('./touchstone.ts')
}

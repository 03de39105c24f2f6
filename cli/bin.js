#!/usr/bin/env node
// Plain JavaScript that any Node.js understands: it says which one is needed where this one is too old. And the cache is on
// before the first file whose types have to be stripped: what strips them need not be loaded then, and each file is
// compiled once per machine instead of once per start.
import nodeModule from 'node:module'

const OLDEST = [22, 22]

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(`touchstone needs Node.js ${OLDEST.join('.')} or later, and this is ${process.versions.node}.\n`)
  process.exitCode = 2
} else {
  nodeModule.enableCompileCache()
  await import('./touchstone.ts')
}

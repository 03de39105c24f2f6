#!/usr/bin/env node
// Plain JavaScript that every Node.js version can parse, so that an old version gets an error message. Enables the
// compile cache before the first TypeScript file is loaded. Each file is then compiled once per machine instead of once
// per start, and the module that strips types need not be loaded.
import nodeModule from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const OLDEST = [22, 22]

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(
    `touchstone needs Node.js ${OLDEST.join('.')} or later, and this is ${process.versions.node}. In your project, npm install --save-dev node@24 adds a newer one, which npx --no touchstone uses.\n`,
  )
  process.exitCode = 2
} else {
  // These commands load their modules with other V8 flags (startup-flags.ts), and V8 rejects code that was compiled with
  // different flags.
  const command = process.argv[2]
  const ownCache = join(tmpdir(), 'node-compile-cache', `touchstone-${command}`)
  nodeModule.enableCompileCache(['emulator', 'conformance'].includes(command) ? ownCache : undefined)
  try {
    await import('./touchstone.ts')
  } catch (error) {
    process.stderr.write(`touchstone cannot start: ${String(error).split('\n', 1)[0]}\n`)
    process.exitCode = 4
  }
}

import { readFileSync, writeFileSync } from 'node:fs'

// Shrinks a conformance document for the repository: keeps exchanges and commands only for checks that did not pass, at
// most two of each.
const KEPT: ReadonlySet<unknown> = new Set(['fail', 'warn', 'error'])
const MOST_EXCHANGES = 2

type Check = Readonly<Record<string, unknown>>

function trimmed(check: Check): Check {
  const { evidence, reproduce, ...rest } = check
  if (!KEPT.has(check['verdict'])) return rest
  const exchanges = Array.isArray(evidence) ? { evidence: evidence.slice(-MOST_EXCHANGES) } : {}
  return { ...rest, ...exchanges, ...(reproduce === undefined ? {} : { reproduce }) }
}

for (const file of process.argv.slice(2)) {
  // The cast is safe: the conformance command wrote this file.
  const document = JSON.parse(readFileSync(file, 'utf8')) as { readonly checks: readonly Check[] }
  const small = { ...document, checks: document.checks.map(trimmed) }
  writeFileSync(file, `${JSON.stringify(small, undefined, 2)}\n`)
}

import { runConformance } from '../../conformance/run-conformance.ts'
import { isTargetQuestion } from '../../reports/remarks.ts'
import { type ConformanceValues, readConformanceOptions } from '../read-conformance-options.ts'
import { formatCommand } from '../format-command.ts'
import type { Finding } from './finding.ts'

type TargetValues = Pick<ConformanceValues, 'url' | 'ca' | 'insecure' | KeyName>
type KeyName = 'keys.funded' | 'keys.noCredits' | 'keys.limited'

const RUN_VALUES = { timeoutMs: 10_000, maxSeconds: 60, concurrency: 2 } as const
const VALID = '5/valid-key-models'
const WITHOUT_CREDITS = '5/no-credits-chat'

/** Checks a target and its keys with a few checks of the suite. @returns nothing without a target */
export async function checkTarget(values: TargetValues, signal: AbortSignal): Promise<Finding[]> {
  const { 'keys.funded': funded, 'keys.noCredits': noCredits, 'keys.limited': limited, ...target } = values
  if (target.url === undefined) return []
  const keys = { ...optional('keys.funded', funded), ...optional('keys.noCredits', noCredits) }
  const main = await runChecks({ ...target, ...keys, only: [VALID, WITHOUT_CREDITS] }, signal)
  const isKeyRefused = main.problem?.includes('key of --key') === true
  if (main.problem !== undefined && !isKeyRefused) {
    return [{ name: 'target', state: 'wrong', ...splitAdvice(main.problem) }]
  }
  // The responses of another service say nothing about a key.
  if (main.doubt !== undefined) {
    const { says, remedy } = splitAdvice(main.doubt)
    return [{ name: 'target', state: 'wrong', says: `${main.url} does not look like the API: ${says}`, remedy }]
  }
  const found: Finding[] = [{ name: 'target', state: 'ok', says: `${main.url} answers` }]
  found.push(keyFinding('key', main.shown('funded'), main.problem, main.said(VALID)))
  if (isKeyRefused) return found
  found.push(keyFinding('key without credits', main.shown('noCredits'), undefined, main.said(WITHOUT_CREDITS)))
  // Three small requests, which do not exceed the limit.
  const slow =
    limited === undefined ? undefined : await runChecks({ ...target, 'keys.funded': limited, only: [VALID] }, signal)
  found.push(keyFinding('key with a rate limit', slow?.shown('funded'), slow?.problem, slow?.said(VALID)))
  return found
}

function optional(name: KeyName, key: string | undefined): ConformanceValues {
  return key === undefined ? {} : { [name]: key }
}

async function runChecks(values: ConformanceValues, signal: AbortSignal) {
  const options = await readConformanceOptions({ ...RUN_VALUES, ...values })
  const { document } = await runConformance({ ...options, signal })
  return {
    url: document.target.url,
    problem: document.target.problem,
    doubt: document.remarks?.find(isTargetQuestion),
    /** The last characters of a key, as documents show them; undefined without a key. */
    shown: (role: string) => document.target.keys[role],
    said: (id: string) => document.checks.find((check) => check.id === id),
  }
}

function keyFinding(
  name: string,
  end: string | undefined,
  problem: string | undefined,
  check: { readonly verdict: string; readonly actual: string } | undefined,
): Finding {
  if (end === undefined) {
    return {
      name,
      state: 'lacking',
      says: 'not given: a run without it is incomplete',
      remedy: `give ${FLAG_OF[name]}`,
    }
  }
  // No character of a short key is shown.
  const shown = end === '…' ? 'it' : end
  if (problem !== undefined)
    return { name, state: 'wrong', ...splitAdvice(problem.replaceAll('--key', FLAG_OF[name]?.split(' ')[0] ?? '')) }
  if (check?.verdict === 'pass') return { name, state: 'ok', says: `${shown} ${GOOD[name]}` }
  return {
    name,
    state: 'wrong',
    says: `${shown}: ${check?.actual ?? 'not tried'}`,
    remedy: `see whether ${FLAG_OF[name]} is the right one`,
  }
}

const FLAG_OF: Readonly<Record<string, string>> = {
  key: '--key or TOUCHSTONE_KEY',
  'key without credits': '--no-credits-key or TOUCHSTONE_KEY_NO_CREDITS',
  'key with a rate limit': '--limited-key or TOUCHSTONE_KEY_LIMITED',
}

const GOOD: Readonly<Record<string, string>> = {
  key: 'is served',
  'key without credits': 'is refused with 402, as it should be',
  'key with a rate limit': 'is served; whether it is limited, a run shows',
}

/** Splits a problem of the suite into what is wrong and what to do, which follows a colon or the end of a line. */
function splitAdvice(problem: string): { says: string; remedy: string } {
  const [, says = problem, remedy = `see ${formatCommand('conformance', '--help')}`] =
    /^(.+?)(?::\s|\.?\n)(.+)$/s.exec(problem) ?? []
  return { says, remedy: remedy.replace(/\n/g, ' ') }
}

import type { CheckEntry, ConformanceDocument } from '../../reports/conformance-document.ts'
import { DECLARED_NAMES, idsDeclaredBy, readDeclaredBehaviours } from './declared-behaviours.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

/** Names of the environment variables for secrets, which a file must not contain. */
export interface Variables {
  readonly keys: Readonly<Record<string, string>>
  /** By header name. */
  readonly headers: Readonly<Record<string, string>>
}

/** Contents of a target file. */
export interface TargetFileDraft {
  readonly url: string
  readonly baseUrl?: string
  readonly keys?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, { readonly env: string }>>
  readonly models?: Readonly<Record<string, string>>
  readonly declares?: Readonly<Record<string, string | number>>
}

/** Lists the checks that a draft is based on: named observations, and the models. */
export function checksForDraft(): readonly string[] {
  // One for each operation: the run searches only for models of operations that it tests.
  const served = ['chat', 'images', 'transcriptions', 'speech'].map((operation) => `5/valid-key-${operation}`)
  return [...DECLARED_NAMES.flatMap(idsDeclaredBy), ...served]
}

/** Builds a target file from a run with `checksForDraft`. Omits observations that no single value describes. */
export function draftTargetFile({ target, checks }: ConformanceDocument, variables: Variables): TargetFileDraft {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const declares = Object.fromEntries(
    DECLARED_NAMES.flatMap((name) => {
      const value = valueFor(name, byId)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  const headers = Object.entries(variables.headers).map(([name, env]) => [name, { env }] as const)
  return {
    url: target.url,
    ...(target.baseUrl === target.url ? {} : { baseUrl: target.baseUrl }),
    ...unlessEmpty('keys', variables.keys),
    ...unlessEmpty('headers', Object.fromEntries(headers)),
    ...unlessEmpty('models', target.models),
    ...unlessEmpty('declares', declares),
  }
}

function unlessEmpty(name: keyof TargetFileDraft, value: object): object {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}

/** Returns the first value that matches all observations of the name. A status is more precise than `refused`. */
function valueFor(name: string, byId: ReadonlyMap<string, CheckEntry>): string | number | undefined {
  const observed = idsDeclaredBy(name).flatMap((id) => {
    const entry = byId.get(id)
    return entry?.verdict === 'observed' ? [entry] : []
  })
  if (observed.length < idsDeclaredBy(name).length) return undefined
  const status = /\banswered ([45]\d\d)\b/.exec(observed[0]?.actual ?? '')?.[1]
  const words = ['public', 'key', 'accepted', ...(status === undefined ? [] : [Number(status)]), 'refused']
  return words.find((word) => isTrueOf(name, word, observed))
}

function isTrueOf(name: string, word: string | number, observed: readonly CheckEntry[]): boolean {
  try {
    const behaviours = readDeclaredBehaviours({ [name]: word })
    return observed.every(({ id, actual }) => new RegExp(behaviours[id]?.pattern ?? '(?!)', 'u').test(actual))
  } catch (error) {
    // A name with special values accepts no others.
    if (error instanceof InvalidOptionError) return false
    throw error
  }
}

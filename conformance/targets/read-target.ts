import { type Operation, PATH_PREFIX } from '../../contract/facts.ts'
import type { Declarations } from './declarations.ts'
import { readDeclaredAnswers } from './declared-answers.ts'
import { OPTION_TABLE } from '../options/option-table.ts'
import type { TableOptions, TargetKeys } from '../options/table-options.ts'
import type { Target } from './target.ts'
import { UsageError } from '../invalid-option-error.ts'

/** Options that describe the target, except its address and keys. */
export interface TargetOptions extends Pick<
  TableOptions,
  'baseUrl' | 'headers' | 'ca' | 'insecure' | 'burst' | 'limitedBurst'
> {
  /** Models that serve an operation; the others are searched for. */
  readonly models?: Readonly<Partial<Record<Operation, string>>>
  /** Answers to what the document does not show, by name or id of the observation: each becomes a check. */
  readonly declares?: Readonly<Record<string, string | number>>
  /** What checks rest on that are not made without it. */
  readonly declarations?: Declarations
  readonly requestsPerMinute?: number
}

interface TargetInput extends TargetOptions {
  /** Base address, with or without `/v1`. */
  readonly url: string
  readonly keys: TargetKeys
  readonly embedded: boolean
}

/**
 * Checks and completes what was said about a target.
 * @throws UsageError naming the flag and what would be right.
 */
export function readTarget(input: TargetInput): Target {
  const url = readAddress(input.url, '--target')
  return {
    url,
    baseUrl: input.baseUrl === undefined ? url : readAddress(input.baseUrl, '--base-url'),
    embedded: input.embedded,
    keys: readKeys(input.keys),
    headers: Object.fromEntries((input.headers ?? []).map(readHeader)),
    ...(input.ca === undefined ? {} : { ca: input.ca }),
    insecure: input.insecure ?? false,
    allowsBurst: (input.burst ?? false) || input.embedded || input.keys.limited !== undefined,
    limitedBurst: input.limitedBurst ?? OPTION_TABLE.limitedBurst.default,
    models: input.models ?? {},
    answers: readDeclaredAnswers(input.declares ?? {}),
    declarations: input.declarations ?? {},
    ...(input.requestsPerMinute === undefined ? {} : { requestsPerMinute: input.requestsPerMinute }),
  }
}

function readAddress(text: string, flag: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(
      `${flag} is not an http or https address: write it like http://127.0.0.1:8080 or https://api.example.com/v1.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(`${flag} must not carry a user name or password: send them with --header 'Name: value'.`)
  }
  if (url.search !== '' || url.hash !== '') {
    throw new UsageError(`${flag} must be a base address, without a query or a fragment.`)
  }
  const path = url.pathname.replace(/\/+$/, '')
  return url.origin + (path.endsWith(PATH_PREFIX) ? path.slice(0, -PATH_PREFIX.length) : path)
}

const FLAG_OF_KEY = {
  funded: '--key',
  noCredits: '--no-credits-key',
  limited: '--limited-key',
  small: '--small-key',
} as const

function readKeys(keys: TargetKeys): TargetKeys {
  const given = (['funded', 'noCredits', 'limited', 'small'] as const).filter((role) => keys[role] !== undefined)
  for (const role of given) {
    if (!/^[\x21-\x7e]+$/.test(keys[role] ?? '')) {
      throw new UsageError(
        `${FLAG_OF_KEY[role]} is empty or has characters that no header can carry: give the key alone, without quotes or spaces.`,
      )
    }
    const same = given.find((other) => other !== role && keys[other] === keys[role])
    if (same !== undefined) {
      throw new UsageError(
        `${FLAG_OF_KEY[role]} and ${FLAG_OF_KEY[same]} are the same key: each needs an account of its own.`,
      )
    }
  }
  return keys
}

function readHeader(line: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\x20-\x7e]*)$/.exec(line)
  if (match === null) {
    throw new UsageError(`--header must be like 'Name: value'.`)
  }
  const [, name = '', value = ''] = match
  if (['authorization', 'host', 'content-length', 'transfer-encoding'].includes(name.toLowerCase())) {
    throw new UsageError(`--header cannot set ${name}, which belongs to the tests: keys are given with --key.`)
  }
  return [name.toLowerCase(), value.trim()]
}

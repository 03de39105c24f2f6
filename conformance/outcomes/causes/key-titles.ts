import type { Operation } from '../../../contract/facts.ts'
import type { CredentialDefect } from '../request-difference.ts'
import type { CheckFinding } from './finding.ts'
import { listOperations } from './title-parts.ts'

const ABSENT_KEYS: readonly CredentialDefect[] = ['no-header', 'empty-token', 'other-header', 'query']
const NO_BEARER_TOKEN: readonly CredentialDefect[] = [...ABSENT_KEYS, 'other-scheme', 'no-scheme']
const OTHER_LETTER_CASES: readonly CredentialDefect[] = ['other-letter-case', 'prefix-in-capitals']
const OTHER_SCHEMES: readonly CredentialDefect[] = ['other-scheme', 'no-scheme']

/** Names requests with an invalid key by what is wrong with it. */
export function describeInvalidKeys(members: readonly CheckFinding[]): string {
  const credentials = credentialsOf(members)
  if (isSubset(credentials, ABSENT_KEYS)) return 'Requests without a key'
  return isSubset(credentials, NO_BEARER_TOKEN) ? 'Requests without a bearer token' : 'Requests with an invalid key'
}

/** Formats the title of a cause whose requests with an invalid key are served. */
export function describeUncheckedKeys(members: readonly CheckFinding[], conforming: ReadonlySet<Operation>): string {
  const credentials = credentialsOf(members)
  if (credentials.has('unknown-key')) {
    const isMixed = listOperations(members).some((operation) => conforming.has(operation))
    if (isMixed && credentials.has('no-header')) return 'The target does not check API keys on some requests'
    return credentials.has('no-header')
      ? 'The target does not check API keys'
      : 'The target accepts any key, even an unknown one'
  }
  if (isSubset(credentials, ['other-header'])) return 'Keys in headers other than Authorization are accepted'
  if (isSubset(credentials, ['query'])) return 'Keys in the query are accepted'
  if (isSubset(credentials, ['other-header', 'query'])) return 'Keys outside the header Authorization are accepted'
  if (isSubset(credentials, ['other-prefix'])) return 'Keys with a prefix other than `sk-svc-` are accepted'
  if (isSubset(credentials, ['no-prefix'])) return 'Keys without their prefix `sk-svc-` are accepted'
  if (isSubset(credentials, OTHER_LETTER_CASES)) return 'Keys are accepted in another letter case'
  if (isSubset(credentials, ABSENT_KEYS)) return 'Requests without a key are served instead of getting 401'
  if (isSubset(credentials, OTHER_SCHEMES)) return 'Keys are accepted without the scheme Bearer'
  if (isSubset(credentials, NO_BEARER_TOKEN)) return 'The target accepts keys that are not bearer tokens'
  return 'Altered keys are accepted instead of getting 401'
}

function credentialsOf(members: readonly CheckFinding[]): Set<CredentialDefect> {
  return new Set(
    members.flatMap(({ outcome: { difference } }) =>
      difference !== undefined && 'credential' in difference ? [difference.credential] : [],
    ),
  )
}

function isSubset(found: ReadonlySet<CredentialDefect>, all: readonly CredentialDefect[]): boolean {
  return found.size > 0 && [...found].every((credential) => all.includes(credential))
}

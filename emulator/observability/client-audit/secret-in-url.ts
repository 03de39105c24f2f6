import { KEY_PREFIX } from '../../../contract/facts.ts'

/** Names under which clients put a key into a query. */
const KEY_NAMES = /[?&](?:api[-_]?key|key|token|access[-_]?token|authorization|secret)=([^&]+)/i

const KEY = new RegExp(`${KEY_PREFIX}[\\w.~-]+`)

/** The key, or what stands where one would, in a request target. @returns undefined where there is none */
export function findSecretInUrl(target: string): string | undefined {
  if (!target.includes('?') && !target.includes(KEY_PREFIX)) return undefined
  return KEY.exec(target)?.[0] ?? KEY_NAMES.exec(target)?.[1]
}

import { OWN_WORDS } from '../../common/secrets/own-words.ts'
import { listHeaderSecrets, listUrlSecrets } from '../../common/secrets/secret-values.ts'
import { TextMask } from '../../common/secrets/text-mask.ts'
import { KEY_PREFIX } from '../../contract/facts.ts'
import { readSpecText } from '../../contract/spec-text.ts'
import type { ObservedRequest } from '../core/events.ts'

/** Returns the secrets that a request contains: in headers and in query parameters whose names indicate secrets. */
export function listRequestSecrets({ headers, target }: Pick<ObservedRequest, 'headers' | 'target'>): string[] {
  return [...listHeaderSecrets(headers), ...listUrlSecrets(target)]
}

let ownText: string | undefined

/** Creates a mask of these secrets and of all text in the format of an API key. Keeps the emulator's public keys. */
export function createRequestMask(secrets: readonly string[]): TextMask {
  ownText ??= `${readSpecText()} ${OWN_WORDS}`
  return new TextMask(secrets, { prefix: KEY_PREFIX, ownText, masksUnknownKeys: true })
}

import { OWN_WORDS } from '../../common/secrets/own-words.ts'
import { isSecretName, listUrlSecrets, listValueSecrets } from '../../common/secrets/secret-values.ts'
import { TextMask } from '../../common/secrets/text-mask.ts'
import { KEY_PREFIX } from '../../contract/facts.ts'
import { readSpecText } from '../../contract/spec-text.ts'
import { OPTION_TABLE } from '../../scenarios/lib/option-table.ts'
import type { RequestHeader } from '../../scenarios/lib/option-values.ts'

interface LoadSecrets {
  readonly keys: readonly (string | undefined)[]
  readonly headers?: readonly RequestHeader[] | undefined
  /** URLs that may contain a user name, a password or a secret parameter. */
  readonly urls?: readonly (string | undefined)[]
}

/** Creates the mask of the secrets in the options of a load run. */
export function createLoadMask({ keys, headers = [], urls = [] }: LoadSecrets): TextMask {
  const secrets = [
    ...keys.map((key) => key ?? ''),
    ...headers.filter(isSecretHeader).flatMap(({ value }) => listValueSecrets(value)),
    ...urls.flatMap((url) => listUrlSecrets(url ?? '')),
  ]
  const flags = Object.values(OPTION_TABLE).map(({ flag }) => flag)
  return new TextMask(secrets, { prefix: KEY_PREFIX, ownText: `${readSpecText()} ${OWN_WORDS} ${flags.join(' ')}` })
}

/** Returns whether the value of a header is secret: it is declared as secret, or the name indicates it. */
export function isSecretHeader({ name, isSecret }: RequestHeader): boolean {
  return isSecret === true || isSecretName(name)
}

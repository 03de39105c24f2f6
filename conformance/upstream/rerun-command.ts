import type { SecretMask } from '../evidence/secrets.ts'
import { NO_KEY } from '../requests/api-request.ts'
import type { Target } from '../targets/target.ts'

/** Returns a command that runs a check of a gateway again. curl cannot script the upstream, so it shows nothing. */
export function buildRerunCommand(target: Target, upstream: string, check: string, mask: SecretMask): string {
  const { url, keys, keyVariables, headers, secretHeaders, ownModels = [] } = target
  const plainHeaders = Object.entries(headers).filter(([name]) => !secretHeaders.includes(name))
  return [
    `touchstone conformance --target ${mask.quote(url)}`,
    ...(keys.funded === undefined || keys.funded === NO_KEY ? [] : [`--key "$${keyVariables.funded}"`]),
    ...ownModels.map(({ id }) => `--model ${mask.quote(id)}`),
    ...plainHeaders.map(([name, value]) => `--header ${mask.quote(`${name}: ${value}`)}`),
    `--upstream ${mask.quote(upstream)}`,
    `--only ${check}`,
  ].join(' ')
}

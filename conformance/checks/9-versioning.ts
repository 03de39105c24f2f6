import { OPERATIONS, PATH_PREFIX } from '../../contract/facts.ts'
import type { Check, CheckContext } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import { observationCheck } from './observe.ts'
import type { Look } from './observe.ts'

function getWithKey({ keys, send }: CheckContext, path: string): Promise<Exchange> {
  return send({ method: 'GET', path, headers: { authorization: `Bearer ${keys.funded}` } })
}

const PATH_LOOKS: readonly Look[] = [
  {
    id: '9/other-version',
    requirement: '9/policy',
    tried: 'the list of models under /v2',
    operation: 'models',
    ask: (context) => getWithKey(context, OPERATIONS.models.path.replace(PATH_PREFIX, '/v2')),
  },
  {
    id: '9/without-prefix',
    requirement: '9/policy',
    tried: 'the list of models without /v1',
    operation: 'models',
    ask: (context) => getWithKey(context, OPERATIONS.models.path.slice(PATH_PREFIX.length)),
  },
]

export const versioningChecks: readonly Check[] = PATH_LOOKS.map(observationCheck)

import { OPERATIONS, PATH_PREFIX } from '../../../contract/facts.ts'
import type { Check, CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { type Observation, defineObservationCheck } from '../shared/observation-check.ts'

function getWithKey({ send }: CheckContext, path: string): Promise<Exchange> {
  return send({ method: 'GET', path, key: 'funded' })
}

const OBSERVATIONS: readonly Observation[] = [
  {
    id: '9/other-version',
    requirement: '9/policy',
    tried: 'the list of models under /v2',
    operation: 'models',
    request: (context) => getWithKey(context, OPERATIONS.models.path.replace(PATH_PREFIX, '/v2')),
  },
  {
    id: '9/without-prefix',
    requirement: '9/policy',
    tried: 'the list of models without /v1',
    operation: 'models',
    request: (context) => getWithKey(context, OPERATIONS.models.path.slice(PATH_PREFIX.length)),
  },
]

export const versioningChecks: readonly Check[] = OBSERVATIONS.map(defineObservationCheck)

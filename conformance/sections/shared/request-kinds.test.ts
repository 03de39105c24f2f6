import { expect, test } from 'vitest'
import { MODELS } from '../../../contract/facts.ts'
import { isSummaryCheck } from '../../engine/check.ts'
import type { RequestSpec } from '../../http/exchange.ts'
import type { ApiRequest } from '../../requests/api-request.ts'
import { buildMp3 } from '../../requests/audio.ts'
import { type RequestKind, classifyRequest } from '../../requests/classify-request.ts'
import { REQUIREMENTS } from '../requirements.ts'
import { CHECKS } from '../checks.ts'
import { createScriptedContext, type ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

/*
 * These tests verify that the suite reports each breakdown once. The check that sends an invalid request reports its
 * breakdown. The breakdown check of the operation reports all other breakdowns.
 */

const LISTED: ReadonlySet<string> = new Set(MODELS.map(({ id }) => id))
const REQUEST_CHECKS = CHECKS.flatMap((check) => (isSummaryCheck(check) ? [] : [check]))
const levels = new Map(REQUIREMENTS.map(({ id, level }) => [id, level]))

function keyOf({ headers }: RequestSpec): ApiRequest['key'] {
  const role = /^\w+ sk-svc-test-(funded|no-credits|limited|small)$/.exec(headers['authorization'] ?? '')?.[1]
  if (role === 'funded' || role === 'no-credits' || role === 'limited' || role === 'small') return role
  return headers['authorization'] === undefined ? 'none' : 'invalid'
}

function kindOf(request: RequestSpec): RequestKind {
  const kind = classifyRequest({
    request: { ...request, key: keyOf(request) },
    isServed: (operation, model) => (operation === 'chat' ? LISTED.has(model) : model === 'vendora-v4-flash'),
    isListed: (model) => LISTED.has(model),
  })
  // Treats every form as valid. The scripted context drops form fields, without which a form would count as
  // unspecified.
  return kind === 'unspecified' && request.path === '/v1/audio/transcriptions' ? 'valid' : kind
}

/** Builds a response with part of a result, which is sufficient to count as served. */
function resultOf({ path }: RequestSpec): ScriptedResponse {
  return path === '/v1/audio/speech'
    ? { status: 200, headers: { 'content-type': 'audio/mpeg' }, body: buildMp3(100) }
    : {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"created":1,"data":[],"choices":[],"text":"a"}',
      }
}

/** Returns the outcomes of the checks for a target that breaks down for requests of one kind. */
async function outcomesWith(broken: RequestKind) {
  return await Promise.all(
    REQUEST_CHECKS.map(async (check) => {
      const context = createScriptedContext((request) =>
        kindOf(request) === broken ? { status: 503 } : resultOf(request),
      )
      const outcome = await check.run(context)
      return { ...check, ...outcome, isBroken: /"actualStatus":503\b/.test(JSON.stringify(outcome.params)) }
    }),
  )
}

test('only breakdown checks fail for the breakdown of a valid or unspecified request', async () => {
  for (const kind of ['valid', 'unspecified'] as const) {
    const failed = (await outcomesWith(kind)).filter(({ verdict, isBroken }) => verdict === 'fail' && isBroken)
    expect(failed.map(({ id }) => id)).toEqual([])
  }
})

test('every check of an invalid request fails for its breakdown', async () => {
  const broken = (await outcomesWith('invalid')).filter(({ isBroken }) => isBroken)
  expect(broken.length).toBeGreaterThan(100)
  const unreported = broken.filter(
    ({ requirement, verdict }) => levels.get(requirement) === 'stated' && verdict !== 'fail',
  )
  expect(unreported.map(({ id }) => id)).toEqual([])
})

import type { planConformance } from '../conformance/run-conformance.ts'
import { formatCount } from '../common/format-count.ts'

type Planned = ReturnType<typeof planConformance>

/** Formats each check as a line with its ID, its level and its title. */
export function formatCheckList(plan: Planned['plan']): string {
  const idWidth = Math.max(...plan.planned.map(({ check }) => check.id.length))
  const lines = plan.planned.map(
    ({ check, requirement }) => `${check.id.padEnd(idWidth)}  ${requirement.level.padEnd(10)}  ${check.title}`,
  )
  return `${[...lines, '', formatCount(lines.length, 'check')].join('\n')}\n`
}

/** Builds the JSON list of the checks of a run, including those that the run skips. */
export function buildCheckList({ planned, notPlanned }: Planned['plan']): object {
  const checks = planned.map(({ check, requirement, declared }) => ({
    id: check.id,
    requirement: requirement.id,
    section: requirement.section,
    level: requirement.level,
    title: check.title,
    ...(declared === undefined ? {} : { declared }),
  }))
  return { checks, notPlanned }
}

export function formatEstimate({
  checks,
  requests,
  credits,
  creditsAtCheapest,
  unpricedModels,
}: Planned['estimate']): string {
  const bound = `Upper bound for ${formatCount(checks, 'check')}: ${formatCount(requests, 'request')}`
  const assumption =
    'A run sends about half of them, because checks share responses. The upper bound excludes requests that the suite repeats after a 429 or a breakdown.'
  if (unpricedModels.length > 0) {
    return [
      `${bound}.`,
      assumption,
      `The credits are unknown: no price of ${unpricedModels.join(', ')} is declared.`,
      '',
    ].join('\n')
  }
  return [
    `${bound} and ${credits} credits (${creditsAtCheapest} if the cheapest model also serves images and speech).`,
    assumption,
    'The specification has prices only for tokens, so the estimate excludes costs per image and per second of audio.',
    '',
  ].join('\n')
}

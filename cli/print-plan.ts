import type { planConformance } from '../conformance/run-conformance.ts'

type Planned = ReturnType<typeof planConformance>

/** Formats each check as a line with its ID, its level, and the statement that it verifies. */
export function formatCheckList(plan: Planned['plan']): string {
  const idWidth = Math.max(...plan.planned.map(({ check }) => check.id.length))
  const lines = plan.planned.map(
    ({ check, requirement }) => `${check.id.padEnd(idWidth)}  ${requirement.level.padEnd(10)}  ${check.title}`,
  )
  return `${[...lines, '', `${lines.length} checks`].join('\n')}\n`
}

/** Builds the JSON list of the checks of a run, including skipped checks. */
export function buildCheckList({ planned, notPlanned }: Planned['plan']): object {
  const checks = planned.map(({ check, requirement, declared: answer }) => ({
    id: check.id,
    requirement: requirement.id,
    section: requirement.section,
    level: requirement.level,
    title: check.title,
    ...(answer === undefined ? {} : { declared: answer.text }),
  }))
  return { checks, notPlanned }
}

/** Formats the upper bounds of a run's requests and credits. */
export function formatForecast({
  checks,
  requests,
  usualRequests,
  usualCredits,
  credits,
  creditsAtCheapest,
}: Planned['forecast']): string {
  return [
    `${checks} checks would send at most ${requests} requests and cost at most ${credits} credits for chat and text`,
    `(${creditsAtCheapest} if the cheapest model also serves images and speech). Requests repeated after a 429 are not included.`,
    `Checks share the responses to identical requests. A run usually sends about ${usualRequests} requests and costs at most ${usualCredits} credits.`,
    'The specification gives no price for images and audio beyond their text.',
    '',
  ].join('\n')
}

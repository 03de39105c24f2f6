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
    `${checks} checks would send at most ${requests} requests, for at most ${credits} credits of chat and text by the price table`,
    `(${creditsAtCheapest} where the cheapest model serves images and speech too). Requests that a 429 makes the run repeat come on top.`,
    `Checks share the responses to identical requests, so that a run usually sends about ${usualRequests} requests, for at most ${usualCredits} credits.`,
    'What images and audio cost beside their text the document does not show.',
    '',
  ].join('\n')
}

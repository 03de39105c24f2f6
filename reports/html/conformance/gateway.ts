import { listAllCauses } from '../../causes.ts'
import { describeTarget, describeVerdict, selectCountedChecks, isExemptCheck } from '../../conformance-verdict.ts'
import type { GatewayRun } from '../../gateway-run.ts'
import { listPolicies } from '../../policies.ts'
import { listCodedRemarks } from '../../remarks.ts'
import { renderDetails, renderProse, renderVerdict } from '../elements.ts'
import type { PageLimits } from '../limit-page-size.ts'
import { html, type HtmlValue } from '../markup.ts'
import type { PageSection } from '../page.ts'
import { renderCauses } from './causes.ts'
import { renderFinding, type RequirementsById } from './check.ts'
import { renderCountTiles } from './counts.ts'
import { renderKnownFailures, renderNotPlanned, renderNotTestable, renderPolicies } from './other-sections.ts'
import { renderSections } from './requirements.ts'

/**
 * Builds the sections with the results on a gateway: the verdict and the failed checks with both ends side by side, and
 * then the policies.
 * @param collapsed whether the page shows other results first
 */
export function buildGatewaySections(
  run: GatewayRun,
  limits: PageLimits,
  collapsed: 'always' | 'if-narrow' | 'never',
): PageSection[] {
  const quotes: RequirementsById = new Map(run.requirements.map((row) => [row.id, row]))
  const causes = listAllCauses(run).filter(({ verdict }) => verdict !== 'not-testable')
  const findings = (['fail', 'error', 'warn'] as const).flatMap((verdict) => selectCountedChecks(run, verdict))
  const notTestable = selectCountedChecks(run, 'not-testable')
  const excused = run.checks.filter(isExemptCheck)
  const policies = listPolicies(run)
  const remarks = listCodedRemarks(run)
  const parts: readonly (readonly [heading: string, count: number, content: HtmlValue])[] = [
    ['Both ends of each finding', findings.length, findings.map((check) => renderFinding(check, quotes, limits, run))],
    ['Not testable', notTestable.length, renderNotTestable(notTestable)],
    ['Known failures and accepted gaps', excused.length, renderKnownFailures(excused)],
  ]
  const section: PageSection = {
    id: 'gateway',
    heading: 'Gateway',
    ...(collapsed === 'always'
      ? { collapsedAs: describeVerdict(run) }
      : { isCollapsedIfNarrow: collapsed === 'if-narrow' }),
    content: html`<p>
        ${renderVerdict(run.verdict, TONES[run.verdict])} ${describeTarget(run)}. ${renderProse(describeVerdict(run))}
      </p>
      ${
        remarks.length > 0 &&
        html`<ul>
          ${remarks.map(({ text }) => html`<li>${renderProse(text)}</li>`)}
        </ul>`
      }
      ${renderCountTiles(run)} ${causes.length > 0 && renderCauses(causes, limits)}
      ${parts
        .filter(([, count]) => count > 0)
        .map(
          ([heading, count, content]) =>
            html`<h3>${heading} (${count})</h3>
              ${content}`,
        )}
      ${renderDetails('All sentences of gateway.md with their checks', renderSections(run, limits))}
      ${run.notPlanned.length > 0 && renderDetails('Not part of this run', renderNotPlanned(run))}`,
  }
  if (policies.length === 0) return [section]
  const table: PageSection = {
    id: 'policies',
    heading: `What the gateway does (${policies.length})`,
    content: renderPolicies(policies, quotes),
    ...(collapsed === 'always'
      ? { collapsedAs: 'Behaviour that the owner of the gateway decides.' }
      : { isCollapsedIfNarrow: true }),
  }
  return [section, table]
}

/** Verdict of a check that has the colour of a run's verdict. */
const TONES = {
  conformant: 'pass',
  'non-conformant': 'fail',
  incomplete: 'not-testable',
  'harness-error': 'error',
} as const

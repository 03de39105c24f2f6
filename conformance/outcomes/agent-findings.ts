import type { JsonExcerpt } from './observed-facts.ts'

/** Rules about tool calls and structured output that a response must satisfy. */
export type AgentRule =
  | 'tool-call'
  | 'named-tool-call'
  | 'tool-call-id'
  | 'tool-call-type'
  | 'tool-call-name'
  | 'tool-call-arguments'
  | 'tool-call-schema'
  | 'tool-call-content'
  | 'tool-call-finish-reason'
  | 'tool-calls-several'
  | 'tool-stream-arguments'
  | 'tool-stream-index'
  | 'tool-stream-start'
  | 'tool-stream-several'
  | 'tool-result'
  | 'json-of-schema'
  | 'json-object'

/** Parameters of deviations of tool calls and structured output, by code. */
export interface AgentDeviationParams {
  /** A field that the schema of the request does not allow. */
  'undeclared-field': { readonly path: string }
  'tool-call-malformed': { readonly problem: ToolCallProblem; readonly actual?: JsonExcerpt }
  'structured-output-malformed': { readonly problem: 'code-fence' | 'not-an-object'; readonly actual: JsonExcerpt }
}

export type ToolCallProblem =
  /** `tool_choice` has no effect, although the target supports tools. */
  | 'no-call'
  | 'other-function'
  | 'no-id'
  | 'duplicate-id'
  | 'wrong-type'
  | 'unknown-name'
  | 'arguments-not-text'
  | 'arguments-not-json'
  | 'arguments-not-object'
  | 'content-not-text'
  | 'no-finish-reason'
  | 'no-streamed-call'
  | 'no-index'
  | 'name-repeated'
  | 'id-repeated'
  | 'shared-index'
  | 'no-text-after-result'

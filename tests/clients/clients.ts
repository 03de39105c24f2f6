/** Name of a set of installed packages, which one or several client programs use. */
export type Installation = 'javascript' | 'requirements-openai-2' | 'requirements-openai-3' | 'go' | 'java'

export interface ClientProgram {
  readonly title: string
  /** Package whose version the table shows. */
  readonly package: string
  readonly installation: Installation
  /** File in the directory of the language. For Java, this is a class; for Go, the compiled program. */
  readonly program: string
  /** IDs of the scenarios that the program does not run. */
  readonly omitted: readonly string[]
}

const MEDIA = ['models', 'image', 'audio']

/** JavaScript programs. They also run with the versions in this repository's lock file. */
export const JAVASCRIPT_CLIENTS = [
  javascript('openai (Node.js)', 'openai', 'openai-client.mjs', []),
  javascript('AI SDK, OpenAI-compatible', '@ai-sdk/openai-compatible', 'ai-sdk-compatible-client.mjs', MEDIA),
  javascript('AI SDK, OpenAI', '@ai-sdk/openai', 'ai-sdk-openai-client.mjs', ['models']),
  javascript('LangChain.js', '@langchain/openai', 'langchain-client.mjs', MEDIA),
  javascript('OpenAI Agents SDK (TypeScript)', '@openai/agents', 'openai-agents-client.mjs', MEDIA),
]

/** All client programs, in the order of the table. */
export const CLIENTS: readonly ClientProgram[] = [
  ...JAVASCRIPT_CLIENTS,
  python('openai (Python)', 'openai', 'openai_client.py', [], 3),
  python('openai (Python) 2', 'openai', 'openai_client.py', [], 2),
  {
    title: 'openai (Go)',
    package: 'github.com/openai/openai-go/v3',
    installation: 'go',
    program: 'clients',
    omitted: [],
  },
  { title: 'openai (Java)', package: 'openai-java', installation: 'java', program: 'OpenaiClient', omitted: [] },
  python('LangChain (Python)', 'langchain-openai', 'langchain_client.py', MEDIA, 3),
  {
    title: 'LangChain4j',
    package: 'langchain4j-open-ai',
    installation: 'java',
    program: 'Langchain4jClient',
    omitted: MEDIA,
  },
  python('OpenAI Agents SDK (Python)', 'openai-agents', 'openai_agents_client.py', MEDIA, 3),
  python('Pydantic AI', 'pydantic-ai-slim', 'pydantic_ai_client.py', MEDIA, 3),
  python('LiteLLM', 'litellm', 'litellm_client.py', ['models'], 2),
  python('instructor', 'instructor', 'instructor_client.py', [...MEDIA, 'tools', 'streamed_tools'], 2),
]

function javascript(title: string, name: string, program: string, omitted: readonly string[]): ClientProgram {
  return { title, package: name, installation: 'javascript', program, omitted }
}

function python(
  title: string,
  name: string,
  program: string,
  omitted: readonly string[],
  openai: 2 | 3,
): ClientProgram {
  return { title, package: name, installation: `requirements-openai-${openai}`, program, omitted }
}

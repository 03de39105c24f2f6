import { request } from 'node:http'

/** Fields of a Kubernetes object that these tests read. */
export interface KubernetesObject {
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly uid?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
  readonly spec?: { readonly clusterIP?: string; readonly nodeName?: string }
  readonly status?: {
    readonly phase?: string
    readonly stage?: string
    readonly active?: number
    readonly failed?: number
    readonly containerStatuses?: readonly { readonly containerID?: string; readonly ready?: boolean }[]
  }
}

/** Client of a cluster's API, which it reaches through the Unix socket of `kubectl proxy`. */
export class KubernetesApi {
  readonly #socketPath: string

  constructor(socketPath: string) {
    this.#socketPath = socketPath
  }

  /**
   * Returns the object at a path, or undefined if it does not exist.
   * @param path such as `/api/v1/namespaces/default/pods/a`
   */
  async find(path: string): Promise<KubernetesObject | undefined> {
    const { status, text } = await this.#send('GET', path)
    if (status === 404) return undefined
    return JSON.parse(ensureSuccess(status, text, path)) as KubernetesObject // The cast is safe: the API server returns an object at this path.
  }

  async list(path: string, labelSelector: string): Promise<readonly KubernetesObject[]> {
    const { status, text } = await this.#send('GET', `${path}?labelSelector=${encodeURIComponent(labelSelector)}`)
    // The cast is safe: the API server returns a list.
    const { items } = JSON.parse(ensureSuccess(status, text, path)) as { readonly items: readonly KubernetesObject[] }
    return items
  }

  /** Creates an object. Unknown fields are an error. */
  async create(path: string, object: object): Promise<void> {
    const { status, text } = await this.#send('POST', `${path}?fieldValidation=Strict`, object)
    ensureSuccess(status, text, path)
  }

  async merge(path: string, fields: object): Promise<void> {
    const { status, text } = await this.#send('PATCH', path, fields, 'application/merge-patch+json')
    ensureSuccess(status, text, path)
  }

  #send(
    method: string,
    path: string,
    body?: object,
    type = 'application/json',
  ): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': type }
      const sent = request({ socketPath: this.#socketPath, method, path, headers, timeout: 30_000 }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.on('timeout', () => sent.destroy(new Error(`The API server did not respond to ${method} ${path}.`)))
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}

function ensureSuccess(status: number, text: string, path: string): string {
  if (status < 300) return text
  throw new Error(`The API server responded to ${path} with ${status}: ${text}`)
}

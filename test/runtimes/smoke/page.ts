/** A page whose text becomes the result as JSON. It is served by the same origin as the sandbox. */
import { useParts } from './parts.ts'

useParts(location.origin).then(
  (result) => document.body.append(JSON.stringify(result)),
  (cause) => document.body.append(String(cause)),
)

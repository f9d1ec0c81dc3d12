/**
 * Lets a person choose or drop files.
 * @param {{box: HTMLElement, input: HTMLInputElement}} elements
 * @param {(files: File[]) => void} onFiles
 */
export function listen({box, input}, onFiles) {
  input.addEventListener("change", () => {
    onFiles([...input.files]);
    input.value = ""; // so that the same file can be chosen again
  });
  // The whole window takes drops: a photo dropped beside the box must not
  // replace the page.
  let depth = 0;
  const over = (change) => {
    depth = change === 0 ? 0 : depth + change;
    box.classList.toggle("over", depth > 0);
  };
  const withFiles = (act) => (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    act(event);
  };
  window.addEventListener("dragenter", withFiles(() => over(1)));
  window.addEventListener("dragleave", withFiles(() => over(-1)));
  window.addEventListener("dragover", withFiles((event) => { event.dataTransfer.dropEffect = "copy"; }));
  window.addEventListener("drop", withFiles((event) => {
    over(0);
    onFiles([...event.dataTransfer.files]);
  }));
}

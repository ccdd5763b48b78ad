/** Put on a page before it loads: how long each task over 50 ms took, in window.longTasks. */
export const countLongTasks = `
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.longTasks.push(Math.round(entry.duration));
  }).observe({ type: 'longtask', buffered: true });
`;

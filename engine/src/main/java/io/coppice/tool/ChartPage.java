// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.simulator.Report;
import java.awt.geom.Rectangle2D;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/**
 * What was found, as one SVG: bars from zero for write, read and space amplification, and below
 * them the course over the bytes written; a colour a policy.
 */
final class ChartPage {

  private static final int PANEL_WIDTH = 420;
  private static final int PANEL_HEIGHT = 300;
  private static final int PANELS = 3;
  private static final int HEAD = 72;
  private static final int LEGEND_LINE = 20;
  private static final int MARGIN = 16;

  /** One group of bars. */
  private record Bar(String name, ToDoubleFunction<Report> figure) {}

  private static final List<Bar> WRITES = List.of(new Bar("WA", Report::wa));
  private static final List<Bar> READS =
      List.of(
          new Bar("mean", Report::raMean),
          new Bar("most", Report::raMax),
          new Bar("with filters", Report::raFilteredMean));
  private static final List<Bar> SPACE =
      List.of(new Bar("steady", Report::saSteady), new Bar("peak", Report::saPeak));

  private final SideBySide found;
  private final double scale;
  private final String unit;

  private ChartPage(SideBySide found) {
    this.found = found;
    String written = ByteText.format(found.load().writeBytes());
    unit = written.substring(written.indexOf(' ') + 1);
    scale =
        found.load().writeBytes() / Double.parseDouble(written.substring(0, written.indexOf(' ')));
  }

  /** The page as text. */
  static String of(SideBySide found) {
    return new ChartPage(found).page();
  }

  private String page() {
    List<String> names = new ArrayList<>(found.reports().keySet());
    int legend = LEGEND_LINE * names.size() + MARGIN;
    SvgCanvas canvas = new SvgCanvas(PANELS * PANEL_WIDTH, HEAD + legend + 2 * PANEL_HEIGHT);
    String title = "Policies side by side, simulated; lower is better";
    canvas.head(title, List.of(found.loadText(), found.methodText()));
    for (int i = 0; i < names.size(); i++) {
      canvas.legend(i, names.get(i), MARGIN, HEAD + LEGEND_LINE * (i + 1) - 4);
    }
    int top = HEAD + legend;
    canvas.draw(bars("Write amplification", "0.00", WRITES), place(0, top));
    canvas.draw(bars("Runs over a key", "0.0#", READS), place(1, top));
    canvas.draw(bars("Disk space over live data", "0.00", SPACE), place(2, top));
    int below = top + PANEL_HEIGHT;
    canvas.draw(lines("Write amplification so far", ChartPage::writes), place(0, below));
    canvas.draw(lines("Runs", sample -> sample.runs()), place(1, below));
    canvas.draw(lines("Disk space over live data", ChartPage::space), place(2, below));
    return canvas.text(title, found.loadText() + "; " + found.methodText());
  }

  private static double writes(Report.Sample sample) {
    return (double) sample.writtenBytes() / sample.userBytes();
  }

  private static double space(Report.Sample sample) {
    return (double) sample.diskBytes() / sample.liveBytes();
  }

  private static Rectangle2D place(int column, int y) {
    return new Rectangle2D.Double(column * PANEL_WIDTH, y, PANEL_WIDTH, PANEL_HEIGHT);
  }

  private JFreeChart bars(String title, String form, List<Bar> bars) {
    DefaultCategoryDataset data = new DefaultCategoryDataset();
    for (Bar bar : bars) {
      found.reports().forEach((policy, report) -> add(data, policy, bar, report));
    }
    CategoryAxis categories = new CategoryAxis();
    categories.setTickLabelFont(SvgCanvas.TEXT);
    categories.setTickLabelPaint(SvgCanvas.INK);
    CategoryPlot plot = new CategoryPlot(data, categories, LineCharts.values(), renderer(form));
    plot.setRangeGridlinePaint(SvgCanvas.GRID);
    return LineCharts.chart(title, plot);
  }

  private static void add(DefaultCategoryDataset data, String policy, Bar bar, Report report) {
    double figure = bar.figure().applyAsDouble(report);
    if (Double.isFinite(figure)) {
      data.addValue(figure, policy, bar.name());
    }
  }

  private BarRenderer renderer(String form) {
    BarRenderer renderer = new BarRenderer();
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    renderer.setItemMargin(0.08);
    renderer.setMaximumBarWidth(0.16);
    renderer.setDefaultItemLabelsVisible(true);
    renderer.setDefaultItemLabelFont(SvgCanvas.TEXT);
    renderer.setDefaultItemLabelPaint(SvgCanvas.INK);
    DecimalFormat format = new DecimalFormat(form, DecimalFormatSymbols.getInstance(Locale.ROOT));
    renderer.setDefaultItemLabelGenerator(new StandardCategoryItemLabelGenerator("{2}", format));
    for (int i = 0; i < found.reports().size(); i++) {
      renderer.setSeriesPaint(i, SvgCanvas.colour(i));
    }
    return renderer;
  }

  private JFreeChart lines(String title, ToDoubleFunction<Report.Sample> figure) {
    XYSeriesCollection data = new XYSeriesCollection();
    found
        .reports()
        .forEach(
            (policy, report) -> {
              XYSeries series = new XYSeries(policy);
              for (Report.Sample sample : report.samples()) {
                double value = figure.applyAsDouble(sample);
                if (Double.isFinite(value)) {
                  series.add(sample.userBytes() / scale, value);
                }
              }
              data.addSeries(series);
            });
    return LineCharts.lines(title, unit + " written", data);
  }
}

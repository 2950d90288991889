// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.coppice.tool.format.SvgChart.Line;
import io.coppice.tool.format.SvgChart.Place;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class SvgChartTest {

  private static final Place ALL = new Place(0, 0, 400, 300);

  private final SvgCanvas canvas = new SvgCanvas(400, 300);

  @Test
  void barsAreAsHighAsTheirValues() throws Exception {
    SvgChart.bars(
        canvas, ALL, "Costs", "0.0", List.of("mean"), List.of(List.of(1.0), List.of(4.0)));
    // The first is the page.
    List<Double> heights = numbers("rect", "height");
    assertThat(heights).hasSize(3);
    assertThat(heights.get(2) / heights.get(1)).isCloseTo(4, offset(0.02));
    assertThat(heights.get(2)).isBetween(150.0, 300.0);
    assertThat(texts()).contains("Costs", "mean", "1.0", "4.0", "0", "2");
  }

  @Test
  void whereThereIsNoNumberThereIsNoBar() throws Exception {
    List<Double> some = List.of(3.0, Double.NaN);
    SvgChart.bars(canvas, ALL, "t", "0.0", List.of("a", "b"), List.of(some));
    assertThat(numbers("rect", "height")).hasSize(2);
    assertThat(texts()).contains("a", "b").doesNotContain("NaN");
  }

  @Test
  void aLineGoesFromTheLeftToTheRightAndUpwards() throws Exception {
    Line line = new Line();
    line.add(1, 0.5);
    line.add(2, Double.POSITIVE_INFINITY);
    line.add(4, 1);
    SvgChart.lines(canvas, ALL, "t", "TB written", List.of(line, new Line()));
    List<Element> drawn = elements("polyline");
    String[] points = drawn.get(drawn.size() - 1).getAttribute("points").split("[ ,]");
    assertThat(points).hasSize(4);
    assertThat(Double.parseDouble(points[2])).isEqualTo(386);
    assertThat(Double.parseDouble(points[3])).isLessThan(Double.parseDouble(points[1]));
    assertThat(texts()).contains("TB written", "4");
  }

  @Test
  void nothingToDrawIsNoFault() throws Exception {
    SvgChart.lines(canvas, ALL, "empty", "bytes", List.of());
    SvgChart.bars(canvas, ALL, "zero", "0", List.of("a"), List.of(List.of(0.0)));
    assertThat(texts()).contains("empty", "zero");
  }

  @Test
  void textIsNoMarkup() throws Exception {
    canvas.head("a < b & \"c\"", List.of());
    assertThat(texts()).contains("a < b & \"c\"");
    assertThat(canvas.text("<", "&")).contains("<title>&lt;</title>", "<desc>&amp;</desc>");
  }

  private List<Element> elements(String name) throws Exception {
    NodeList nodes =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(canvas.text("title", "what it shows"))))
            .getElementsByTagName(name);
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      elements.add((Element) nodes.item(i));
    }
    return elements;
  }

  private List<Double> numbers(String name, String attribute) throws Exception {
    return elements(name).stream()
        .map(element -> Double.parseDouble(element.getAttribute(attribute)))
        .toList();
  }

  private List<String> texts() throws Exception {
    return elements("text").stream().map(Element::getTextContent).toList();
  }
}
